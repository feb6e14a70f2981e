-- Whoever locks both rows locks the active session's row (public.user_agent_active_sessions) before the session's own.

-- name: find_session
-- One session by its id or by the client's own name for it.
select session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at
from chat.sessions
where user_id = %(user_id)s and (session_id = %(id)s or external_id = %(id)s);

-- name: lock_session
-- The same row, held until the transaction ends: the one serialisation of a session.
select session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at
from chat.sessions
where user_id = %(user_id)s and (session_id = %(id)s or external_id = %(id)s)
for update;

-- name: hold_session
-- The same lock, by our own id alone and without an answer.
select from chat.sessions where user_id = %(user_id)s and session_id = %(session_id)s for update;

-- name: insert_session
-- A new session, or nothing when it is there already.
insert into chat.sessions (user_id, session_id, agent_name, external_id, title, memory)
values (%(user_id)s, %(session_id)s, %(agent_name)s, %(external_id)s, %(title)s, %(memory)s)
on conflict do nothing
returning session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at;

-- name: touch_session
-- The session is used just now, and so no longer archived.
update chat.sessions set last_active_at = now(), archived_at = null
where user_id = %(user_id)s and session_id = %(session_id)s
returning session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at;

-- name: enter_active_session
-- Touched, where it is the active one already, as it is for each question after the first; else nothing.
update chat.sessions s set last_active_at = now(), archived_at = null
where user_id = %(user_id)s and {place} = %(id)s and agent_name = coalesce(%(agent_name)s, agent_name)
    and session_id = (select active_session_id from public.user_agent_active_sessions
                      where user_id = %(user_id)s and agent_name = s.agent_name)
returning session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at;

-- name: enter_session
-- Set active and touched, in this order and in one statement; nothing when it is not there, or is another agent's.
-- {place} is session_id or external_id: to look by both is four nodes more of a plan, and may be all of a user's sessions.
with found as (
    select session_id, agent_name
    from chat.sessions
    where user_id = %(user_id)s and {place} = %(id)s and agent_name = coalesce(%(agent_name)s, agent_name)
), active as (
    insert into public.user_agent_active_sessions (user_id, agent_name, active_session_id)
    select %(user_id)s, agent_name, session_id from found
    on conflict (user_id, agent_name) do update
    set active_session_id = excluded.active_session_id, last_active_at = excluded.last_active_at
    returning active_session_id, last_active_at
)
update chat.sessions s set last_active_at = active.last_active_at, archived_at = null
from active
where s.user_id = %(user_id)s and s.session_id = active.active_session_id
returning s.session_id, s.agent_name, s.external_id, s.title, s.memory, s.created_at, s.last_active_at, s.archived_at;

-- name: claim_active
-- The active session of a user and an agent, or the offered one when there is none; concurrent callers get the same.
insert into public.user_agent_active_sessions as active (user_id, agent_name, active_session_id)
values (%(user_id)s, %(agent_name)s, %(session_id)s)
on conflict (user_id, agent_name) do update set last_active_at = excluded.last_active_at
returning active_session_id;

-- name: find_active
-- The session that the user is in with an agent, as it is.
select s.session_id, s.agent_name, s.external_id, s.title, s.memory, s.created_at, s.last_active_at, s.archived_at
from public.user_agent_active_sessions active
join chat.sessions s on s.user_id = active.user_id and s.session_id = active.active_session_id
where active.user_id = %(user_id)s and active.agent_name = %(agent_name)s;

-- name: set_active
-- Make this the session that the user is in with its agent.
insert into public.user_agent_active_sessions as active (user_id, agent_name, active_session_id)
values (%(user_id)s, %(agent_name)s, %(session_id)s)
on conflict (user_id, agent_name) do update
set active_session_id = excluded.active_session_id, last_active_at = excluded.last_active_at;

-- name: clear_active
-- Leave the session, if the user is in it.
delete from public.user_agent_active_sessions
where user_id = %(user_id)s and active_session_id = %(session_id)s;

-- name: update_session
-- Change what was given, keep the rest.
update chat.sessions
set title = case when %(set_title)s then %(title)s else title end,
    memory = coalesce(%(memory)s, memory),
    archived_at = case when %(archived)s::boolean is null then archived_at
                       when %(archived)s then coalesce(archived_at, now()) end
where user_id = %(user_id)s and session_id = %(session_id)s
returning session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at;

-- name: list_sessions
-- A page of sessions, the most recently used first; with the column in which a search says where it was said.
select session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at, null::bigint
from chat.sessions
where user_id = %(user_id)s
    and (archived_at is not null) = %(archived)s
    and agent_name = coalesce(%(agent_name)s, agent_name)
    and (last_active_at, session_id)
        < (coalesce(%(before_time)s, 'infinity'::timestamptz), coalesce(%(before_id)s, ''))
order by last_active_at desc, session_id desc
limit %(limit)s;

-- name: search_sessions
-- The same page, of sessions whose title holds the phrase, or whose title and messages have all its words.
-- With where it was said: in the newest message that has all of them, else in the newest that has any.
with found as (
    select i.session_id, max(array[(i.tsv @@ %(all)s::tsquery)::integer, coalesce(i.place, 0)]) as best
    from chat.message_index i, unnest(%(words)s::text[]) as word
    where i.user_id = %(user_id)s and i.tsv @@ word::tsquery
    group by i.session_id
    having count(distinct word) = cardinality(%(words)s::text[])
)
select s.session_id, s.agent_name, s.external_id, s.title, s.memory, s.created_at, s.last_active_at, s.archived_at,
    (select nullif(best[2], 0) from found where found.session_id = s.session_id)
from chat.sessions s
where s.user_id = %(user_id)s
    and (s.archived_at is not null) = %(archived)s
    and s.agent_name = coalesce(%(agent_name)s, s.agent_name)
    and (s.last_active_at, s.session_id)
        < (coalesce(%(before_time)s, 'infinity'::timestamptz), coalesce(%(before_id)s, ''))
    and (position(lower(%(phrase)s) in lower(s.title)) > 0 or s.session_id in (select session_id from found))
order by s.last_active_at desc, s.session_id desc
limit %(limit)s;

-- name: index_title
-- The words of a title, under the session's own id, so that search finds them as it finds messages.
insert into chat.message_index (user_id, message_id, session_id, agent_name, tsv)
values (%(user_id)s, %(session_id)s::uuid, %(session_id)s, %(agent_name)s, array_to_tsvector(%(words)s::text[]))
on conflict (user_id, message_id) do update set tsv = excluded.tsv, is_hidden = false;

-- name: delete_title
-- The search entry of a title.
delete from chat.message_index where user_id = %(user_id)s and message_id = %(session_id)s::uuid;

-- name: delete_turns
-- The turns of a session, and their events with them.
delete from chat.turns where user_id = %(user_id)s and session_id = %(session_id)s;

-- name: delete_session
-- The session itself.
delete from chat.sessions where user_id = %(user_id)s and session_id = %(session_id)s;
