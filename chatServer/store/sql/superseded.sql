-- What an edit or a regeneration replaces. Whoever moves messages holds the session's row lock; other writers of the
-- conversation do not, so it is one statement that takes them out and keeps them.

-- name: find_question
-- The user's message that an id stands for: its own, the client's, or that of its answer; the newest one without an id.
select q.id, q.message_id, q.turn_id, t.reply_message_id, named.id as named_id,
    (select n.turn_id from public.chat_message_history n
     where n.user_id = %(user_id)s and n.session_id between %(session_id)s and %(session_id)s
     order by n.session_id desc, n.id desc
     limit 1) as newest_turn_id,
    coalesce(t.client_message_id,  -- a regeneration has none: then among the turns of the session
        (select c.client_message_id from chat.turns c
         where c.user_id = %(user_id)s and c.session_id = %(session_id)s and c.user_message_id = q.message_id
             and c.client_message_id is not null
         limit 1)) as client_message_id
from (
    select max(found.id) as id
    from (
        select h.id from public.chat_message_history h
        where h.user_id = %(user_id)s and h.session_id = %(session_id)s and h.message_id = %(message_id)s
            and (h.turn_id is null or lower(left(h.message ->> 'type', 5)) = 'human')
        union all
        select asked.id from chat.turns a
        join public.chat_message_history asked on asked.user_id = a.user_id and asked.message_id = a.user_message_id
        where a.user_id = %(user_id)s and a.session_id = %(session_id)s
            and (a.client_message_id = %(name)s
                or a.reply_message_id = %(reply_id)s and a.turn_id = asked.turn_id)
    ) as found
) as named
join public.chat_message_history q
    on q.user_id = %(user_id)s and q.session_id between %(session_id)s and %(session_id)s
    and q.id <= case when %(name)s::text is null then %(newest)s else named.id end
    and lower(left(q.message ->> 'type', 5)) = 'human'
left join chat.turns t on t.user_id = q.user_id and t.turn_id = q.turn_id
order by q.session_id desc, q.id desc
limit 1;

-- name: supersede
-- Everything from a message on leaves the conversation and its search, and is kept as it is.
with moved as (
    delete from public.chat_message_history
    where user_id = %(user_id)s and session_id = %(session_id)s and id >= %(first)s
    returning user_id, id, session_id, message, created_at, message_id, turn_id, tokens, importance
), kept as (
    insert into chat.message_superseded
        (user_id, id, session_id, message, created_at, message_id, turn_id, tokens, importance, superseded_by)
    select user_id, id, session_id, message, created_at, message_id, turn_id, tokens, importance, %(superseded_by)s
    from moved
), held as (
    select message_id from chat.message_index
    where user_id = %(user_id)s and message_id in (select message_id from moved)
    order by message_id
    for update
)
delete from chat.message_index
where user_id = %(user_id)s and message_id in (select message_id from held);

-- name: delete_summary_of
-- A summary that goes as far as a question whose answer is replaced: it will be made anew.
delete from chat.summaries
where user_id = %(user_id)s and session_id = %(session_id)s and covers_to >= %(question)s;

-- name: adopt_question
-- The question of one turn becomes another's.
update public.chat_message_history set turn_id = %(turn_id)s
where user_id = %(user_id)s and message_id = %(message_id)s;

-- name: read_superseded
-- The newest replaced messages of a session before a point that fit, as in read_stretch; newest first.
select id, message_id, turn_id, created_at, message::text, tokens, superseded_at, superseded_by, found
from (
    select id, message_id, turn_id, created_at, message, tokens, superseded_at, superseded_by, count(*) over () as found,
        coalesce(sum(pg_column_size(message) * case when pg_column_compression(message) is null then 1 else 100 end)
                 over (order by id desc rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from (
        select id, message_id, turn_id, created_at, message, tokens, superseded_at, superseded_by
        from chat.message_superseded
        where user_id = %(user_id)s and session_id between %(session_id)s and %(session_id)s and id < %(before)s
        order by session_id desc, id desc
        limit %(limit)s
    ) as newest
) as measured
where bytes_before < %(bytes)s
order by id desc;

-- name: read_superseded_turn
-- The replaced messages of a turn as far as they fit, as in read_turn; newest first.
select id, message_id, turn_id, created_at, message::text, tokens, superseded_at, superseded_by
from (
    select id, message_id, turn_id, created_at, message, tokens, superseded_at, superseded_by,
        lead(id) over (order by id) is null as is_last,
        coalesce(sum(octet_length(message::text)) over (order by id rows between unbounded preceding and 1 preceding), 0)
            as bytes_before
    from chat.message_superseded
    where user_id = %(user_id)s and session_id = %(session_id)s and turn_id = %(turn_id)s
) as measured
where bytes_before < %(bytes)s or is_last
order by id desc;

-- name: find_superseded_place
-- Where a replaced message stands.
select id from chat.message_superseded
where user_id = %(user_id)s and session_id = %(session_id)s and message_id = %(message_id)s;
