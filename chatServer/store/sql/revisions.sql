-- Which turns are still to be revised. A turn is queued in its reply's transaction, and done in that of its revision.

-- name: find_revision
-- A turn's session, while the turn is to be revised and its session keeps memories.
select t.session_id, t.agent_name, s.memory = 'on' as has_memory,
    coalesce(t.revision ? 'is_anonymous', false) as is_anonymous
from chat.turns t
join chat.sessions s on s.user_id = t.user_id and s.session_id = t.session_id
where t.user_id = %(user_id)s and t.turn_id = %(turn_id)s and t.revision_state in ('queued', 'running', 'failed');

-- name: list_waiting
-- The turns of a session that are to be revised, oldest first: how far each is, and what it was given.
select turn_id, attempt, revision_state as state, revision, started_at,
    coalesce(jsonb_array_length(recalled -> 'items'), 0) > 0 as has_recalled
from chat.turns
where user_id = %(user_id)s and session_id = %(session_id)s and revision_state in ('queued', 'running', 'failed')
order by started_at, turn_id
limit %(limit)s;

-- name: list_recent_turns
-- The same of the finished turns of a session's newest messages, whether they are revised or not.
select t.turn_id, t.attempt, t.revision_state as state, t.revision, t.started_at,
    coalesce(jsonb_array_length(t.recalled -> 'items'), 0) > 0 as has_recalled
from (
    select newest.turn_id, max(newest.id) as place
    from (
        select h.turn_id, h.id
        from public.chat_message_history h
        where h.user_id = %(user_id)s and h.session_id between %(session_id)s and %(session_id)s
        order by h.session_id desc, h.id desc
        limit %(messages)s) as newest
    where newest.turn_id is not null
    group by newest.turn_id) as recent
join chat.turns t on t.user_id = %(user_id)s and t.turn_id = recent.turn_id
where t.state in ('done', 'stopped') and t.revision_state <> 'none'
order by recent.place;

-- name: find_hidden
-- Those of some messages that the user has had forgotten.
select message_id from chat.message_index
where user_id = %(user_id)s and message_id = any(%(message_ids)s::uuid[]) and is_hidden;

-- name: mark_revisions
-- Turns whose revision has begun, or has failed for now.
update chat.turns set revision_state = %(state)s
where user_id = %(user_id)s and turn_id = any(%(turn_ids)s::uuid[])
    and revision_state in ('queued', 'running', 'failed')
returning turn_id;

-- name: finish_revision
-- A turn is revised, once: when, or nothing where it was before, or is no longer there.
-- In its log, while that lives, it says so in the place where it said that this begins.
with done as (
    update chat.turns
    set revision_state = 'done', revision = coalesce(revision, '{}') || %(kept)s
    where user_id = %(user_id)s and turn_id = %(turn_id)s and revision_state in ('queued', 'running', 'failed')
    returning turn_id, extract(epoch from clock_timestamp() - finished_at)::double precision as late_s
), told as (
    update chat.turn_events e
    set events = (
        select jsonb_agg(case when item ->> 'kind' = 'data' and item ->> 'name' = %(name)s
            then jsonb_set(item, '{value}', %(told)s) else item end order by place)
        from jsonb_array_elements(e.events) with ordinality as items (item, place))
    where e.user_id = %(user_id)s and e.turn_id = (select turn_id from done) and e.seq_from = (
        select max(seq_from) from chat.turn_events where user_id = %(user_id)s and turn_id = %(turn_id)s)
)
select late_s from done;

-- name: mark_read
-- Turns that the memory agent has read.
update chat.turns set revision = coalesce(revision, '{}') || '{"is_read": true}'
where user_id = %(user_id)s and turn_id = any(%(turn_ids)s::uuid[]);
