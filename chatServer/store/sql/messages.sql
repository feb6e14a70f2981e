-- Why `between` and not `=`: with an equality the planner may walk the primary key (user_id, id) backwards and skip
-- every newer row of the user's other sessions. 20 of 100,000 messages, 20,000 newer ones elsewhere: 1,436 buffers and
-- 3.2x the CPU, against 85 and 1.0x with the order that only the index by session has (2026-11-15).

-- name: read_newest
-- The newest messages of a session before a point, newest first.
select id, message_id, turn_id, created_at, message::text, tokens
from public.chat_message_history
where user_id = %(user_id)s and session_id between %(session_id)s and %(session_id)s and id < %(before)s
order by session_id desc, id desc
limit %(limit)s;

-- name: read_before
-- The newest messages of a session before one of them, newest first.
select id, message_id, turn_id, created_at, message::text, tokens
from public.chat_message_history
where user_id = %(user_id)s and session_id between %(session_id)s and %(session_id)s
    and id < (select id from public.chat_message_history
              where user_id = %(user_id)s and message_id = %(question_id)s)
order by session_id desc, id desc
limit %(limit)s;

-- name: read_stretch
-- The newest messages of a session before a point that fit, one at least; with how many there would be; newest first.
select id, message_id, turn_id, created_at, message::text, tokens, found
from (
    select id, message_id, turn_id, created_at, message, tokens, count(*) over () as found,
        -- None is unpacked to be measured: pglz makes a text at most a hundred times as short.
        coalesce(sum(pg_column_size(message) * case when pg_column_compression(message) is null then 1 else 100 end)
                 over (order by id desc rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from (
        select id, message_id, turn_id, created_at, message, tokens
        from public.chat_message_history
        where user_id = %(user_id)s and session_id between %(session_id)s and %(session_id)s and id < %(before)s
        order by session_id desc, id desc
        limit %(limit)s
    ) as newest
) as measured
where bytes_before < %(bytes)s
order by id desc;

-- name: read_stretch_after
-- The oldest messages of a session after a point that fit, as in read_stretch; oldest first.
select id, message_id, turn_id, created_at, message::text, tokens, found
from (
    select id, message_id, turn_id, created_at, message, tokens, count(*) over () as found,
        coalesce(sum(pg_column_size(message) * case when pg_column_compression(message) is null then 1 else 100 end)
                 over (order by id rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from (
        select id, message_id, turn_id, created_at, message, tokens
        from public.chat_message_history
        where user_id = %(user_id)s and session_id between %(session_id)s and %(session_id)s and id > %(after)s
        order by session_id, id
        limit %(limit)s
    ) as oldest
) as measured
where bytes_before < %(bytes)s
order by id;

-- name: read_window
-- The newest messages that a model may see: all but those of the session's unfinished turns; newest first.
-- Unfinished turns are few and have an index: to look up each message's turn took a third more (2026-11-19).
select id, message_id, turn_id, created_at, message::text, tokens
from public.chat_message_history
where user_id = %(user_id)s and session_id between %(session_id)s and %(session_id)s
    and (turn_id = any (array(
        select turn_id from chat.turns
        where user_id = %(user_id)s and session_id = %(session_id)s and state not in ('done', 'stopped')))) is not true
order by session_id desc, id desc
limit %(limit)s;

-- name: read_opening
-- The oldest messages that a model may see: of finished turns, and those that no turn wrote; newest first.
select id, message_id, turn_id, created_at, message, tokens
from (
    select h.id, h.message_id, h.turn_id, h.created_at, h.message::text as message, h.tokens
    from public.chat_message_history h
    left join chat.turns t on t.user_id = h.user_id and t.turn_id = h.turn_id
    where h.user_id = %(user_id)s and h.session_id between %(session_id)s and %(session_id)s
        and (h.turn_id is null or t.state in ('done', 'stopped'))
    order by h.session_id, h.id
    limit %(limit)s
) opening
order by id desc;

-- name: read_turn
-- The first and the last message of a turn, and of the others, from the first on, as many as fit; newest first.
-- Its rows follow the question closely: only other writers come between.
select id, message_id, turn_id, created_at, message::text, tokens
from (
    select id, message_id, turn_id, created_at, message, tokens, lead(id) over (order by id) is null as is_last,
        coalesce(sum(octet_length(message::text)) over (order by id rows between unbounded preceding and 1 preceding), 0)
            as bytes_before
    from (
        select id, message_id, turn_id, created_at, message, tokens
        from public.chat_message_history
        where user_id = %(user_id)s and session_id between %(session_id)s and %(session_id)s
            and id >= (select id from public.chat_message_history
                       where user_id = %(user_id)s and message_id = %(question_id)s)
        order by session_id, id
        limit 1000) as next
    where turn_id = %(turn_id)s
) as measured
where bytes_before < %(bytes)s or is_last
order by id desc;

-- name: find_place
-- Where a message stands in its session.
select id from public.chat_message_history
where user_id = %(user_id)s and session_id = %(session_id)s and message_id = %(message_id)s;

-- name: is_taken
-- Whether a message of the user has this id, is said or was replaced, or a title is found under it.
select exists (select from public.chat_message_history where user_id = %(user_id)s and message_id = %(message_id)s)
    or exists (select from chat.message_superseded where user_id = %(user_id)s and message_id = %(message_id)s)
    or exists (select from chat.message_index where user_id = %(user_id)s and message_id = %(message_id)s);

-- name: count_put
-- How many messages of the last minute, among the user's last ones, were said in no turn.
-- From one to the one before it: asked for as many at once, Postgres may sort all that the user ever said.
with recursive latest (id, turn_id, created_at, number) as (
    (select id, turn_id, created_at, 1
    from public.chat_message_history
    where user_id = %(user_id)s
    order by id desc
    limit 1)
    union all
    select before.id, before.turn_id, before.created_at, number + 1
    from latest
    cross join lateral (
        select id, turn_id, created_at
        from public.chat_message_history
        where user_id = %(user_id)s and id < latest.id
        order by id desc
        limit 1) before
    where number < 400
)
select count(*)
from latest
where turn_id is null and created_at > now() - interval '1 minute';

-- name: weigh_message
-- How important a message is, where it is said.
update public.chat_message_history set importance = %(importance)s
where user_id = %(user_id)s and session_id = %(session_id)s and message_id = %(message_id)s
returning message_id;

-- name: append_message
-- One message, and what it is found by; the caller holds the session's row lock. Half of what the next one takes for it.
with stored as (
    insert into public.chat_message_history (user_id, session_id, message_id, message, tokens, turn_id, created_at)
    values (%(user_id)s, %(session_id)s, %(message_id)s, %(message)s, %(tokens)s, %(turn_id)s,
        coalesce(%(said_at)s::timestamptz, now()))
    returning id, created_at
)
insert into chat.message_index
    (user_id, message_id, session_id, agent_name, tsv, place, role, speaker, said_at, chars, terms)
select %(user_id)s, %(message_id)s, %(session_id)s, %(agent_name)s,
    array_to_tsvector(string_to_array(%(words)s, ' ')), id, %(role)s, %(speaker)s, created_at, %(chars)s,
    decode(%(terms)s, 'hex')
from stored
where %(words)s <> '';

-- name: append_messages
-- Messages in their order, and what they are found by; the caller holds the session's row lock.
-- The lexemes are ours, so that search splits words the same way. One statement, so that no row is looked up again.
with given as (
    select message_id, message, tokens, said_at, words, role, speaker, chars, decode(terms, 'hex') as terms, place
    from rows from (
        jsonb_to_recordset(%(messages)s) as (message_id uuid, message jsonb, tokens integer, said_at timestamptz,
            words text, role text, speaker text, chars integer, terms text)
    ) with ordinality
        as columns (message_id, message, tokens, said_at, words, role, speaker, chars, terms, place)
), stored as (
    insert into public.chat_message_history (user_id, session_id, message_id, message, tokens, turn_id, created_at)
    select %(user_id)s, %(session_id)s, message_id, message, tokens, %(turn_id)s, coalesce(said_at, now())
    from given
    order by place
    returning id, message_id, created_at
)
insert into chat.message_index
    (user_id, message_id, session_id, agent_name, tsv, place, role, speaker, said_at, chars, terms)
select %(user_id)s, stored.message_id, %(session_id)s, %(agent_name)s,
    array_to_tsvector(string_to_array(given.words, ' ')), stored.id, given.role, given.speaker, stored.created_at,
    given.chars, given.terms
from stored join given using (message_id)
where given.words <> '';

-- name: insert_image
-- A picture that a message refers to.
insert into chat.message_images (user_id, image_id, session_id, message_id, media_type, bytes)
values (%(user_id)s, %(image_id)s, %(session_id)s, %(message_id)s, %(media_type)s, %(bytes)s);

-- name: read_images
-- The pictures of some messages as far as they fit, those of the last of them first, and one at least.
select image_id, media_type, bytes
from (
    select p.image_id, p.media_type, p.bytes,
        coalesce(sum(octet_length(p.bytes)) over (order by shown.place desc, p.image_id
                                                  rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from unnest(%(message_ids)s::uuid[]) with ordinality as shown (message_id, place)
    cross join lateral (
        select image_id, media_type, bytes
        from chat.message_images
        where user_id = %(user_id)s and session_id = %(session_id)s and message_id = shown.message_id
        offset 0) p
) as measured
where bytes_before < %(bytes)s;

-- name: measure_images
-- How many bytes the pictures of some messages have.
select shown.message_id, sum(p.size)::bigint
from unnest(%(message_ids)s::uuid[]) as shown (message_id)
cross join lateral (
    select octet_length(bytes) as size
    from chat.message_images
    where user_id = %(user_id)s and session_id = %(session_id)s and message_id = shown.message_id
    offset 0) p
group by shown.message_id;

-- name: delete_messages
-- The conversation of a session.
delete from public.chat_message_history where user_id = %(user_id)s and session_id = %(session_id)s;

-- name: delete_superseded
-- What edits and regenerations of a session replaced.
delete from chat.message_superseded where user_id = %(user_id)s and session_id = %(session_id)s;

-- name: delete_index
-- The search entries of a session's messages; the one under the session's own id is its title's.
delete from chat.message_index
where user_id = %(user_id)s and session_id = %(session_id)s and message_id <> %(session_id)s::uuid;

-- name: delete_images
-- The pictures of a session.
delete from chat.message_images where user_id = %(user_id)s and session_id = %(session_id)s;

-- name: delete_summary
-- What the messages of a session were compressed to.
delete from chat.summaries where user_id = %(user_id)s and session_id = %(session_id)s;
