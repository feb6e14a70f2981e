-- name: find_said
-- What the user has said with all these words, as far as recall shows it where an agent may look; not what a turn asks.
select i.message_id,
    case when jsonb_typeof(h.message #> '{data,content}') = 'string'
         then left(h.message #>> '{data,content}', %(characters)s) end as text,
    case when jsonb_typeof(h.message #> '{data,content}') <> 'string' then h.message::text end as message
from chat.message_index i
cross join lateral (
    select message from public.chat_message_history
    where user_id = %(user_id)s and message_id = i.message_id
    limit 1) h
cross join lateral (
    select memory, agent_name from chat.sessions
    where user_id = %(user_id)s and session_id = i.session_id
    limit 1) s
where i.user_id = %(user_id)s and i.role = 'user' and i.place is not null and not i.is_hidden and s.memory = 'on'
    and i.tsv @@ %(words)s::tsquery
    and (coalesce(i.agent_name, s.agent_name) = any(%(shelves)s) or i.session_id = any(%(shelves)s)
         or %(is_open)s and coalesce(i.agent_name, s.agent_name) <> all(%(closed)s::text[]))
    and not exists (
        select from chat.turns t
        where t.user_id = %(user_id)s and t.turn_id = %(turn_id)s and t.user_message_id = i.message_id)
order by i.place desc
limit %(limit)s;

-- name: find_quoting
-- Answers, and titles, that have all these words, where an agent may look.
select i.message_id
from chat.message_index i
cross join lateral (
    select agent_name from chat.sessions
    where user_id = %(user_id)s and session_id = i.session_id
    limit 1) s
where i.user_id = %(user_id)s and i.role is distinct from 'user' and i.tsv @@ %(words)s::tsquery
    and (coalesce(i.agent_name, s.agent_name) = any(%(shelves)s) or i.session_id = any(%(shelves)s)
         or %(is_open)s and coalesce(i.agent_name, s.agent_name) <> all(%(closed)s::text[]))
limit %(limit)s;

-- name: read_said
-- What was said at some places, as far as recall shows it.
select id, message_id,
    case when jsonb_typeof(message #> '{data,content}') = 'string'
         then left(message #>> '{data,content}', %(characters)s) end as text,
    case when jsonb_typeof(message #> '{data,content}') <> 'string' then message::text end as message
from public.chat_message_history
where user_id = %(user_id)s and id = any(%(places)s::bigint[]);
