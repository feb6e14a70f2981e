-- name: read_embedding
-- Which embedder the vectors are of; the row is nobody's.
select model, size from chat.embedding where user_id = %(user_id)s;

-- name: claim_embedding
-- The first start says whose the vectors are.
insert into chat.embedding (user_id, model, size)
values (%(user_id)s, %(model)s, %(size)s)
on conflict (user_id) do nothing;

-- name: replace_embedding
-- The vectors are another embedder's from now on.
insert into chat.embedding (user_id, model, size)
values (%(user_id)s, %(model)s, %(size)s)
on conflict (user_id) do update set model = excluded.model, size = excluded.size;

-- name: find_lacking_messages
-- Messages that recall does not find, or not by this embedder's vectors, the newest first.
select h.id, h.message_id, h.turn_id, h.created_at, h.message::text, h.tokens, h.session_id, s.agent_name,
    (i.place is not null and i.terms is not null) as is_indexed
from (
    select id, message_id, turn_id, created_at, message, tokens, session_id
    from public.chat_message_history
    where user_id = %(user_id)s and id < %(before)s
    order by id desc
    limit %(look)s
) h
left join lateral (
    select place, terms, embed_model from chat.message_index
    where user_id = %(user_id)s and message_id = h.message_id
    limit 1) i on true
left join lateral (
    select agent_name from chat.sessions
    where user_id = %(user_id)s and session_id = h.session_id
    limit 1) s on true
where case when i.place is null or i.terms is null
           then left(h.message ->> 'type', 2) in ('hu', 'ai', 'Hu', 'AI')  -- who speaks; tools' results stay unread
           else %(model)s::text is not null and i.embed_model is distinct from %(model)s end
order by h.id desc
limit %(limit)s;

-- name: find_lacking_memories
-- Memories without a vector of this embedder, the last changed first.
select memory_id as item_id, seq as version, text
from chat.memories
where user_id = %(user_id)s and seq < %(before)s and embed_model is distinct from %(model)s
order by seq desc
limit %(limit)s;

-- name: mend_index
-- Entries for messages that have none or half a one. Held, so that whoever deletes a message also sees its entry.
insert into chat.message_index
    (user_id, message_id, session_id, agent_name, tsv, place, role, speaker, said_at, chars, terms)
select h.user_id, h.message_id, h.session_id, given.agent_name, array_to_tsvector(string_to_array(given.words, ' ')),
    h.id, given.role, given.speaker, h.created_at, given.chars, given.terms
from unnest(%(message_ids)s::uuid[], %(agent_names)s::text[], %(words)s::text[], %(roles)s::text[],
            %(speakers)s::text[], %(chars)s::integer[], %(terms)s::bytea[])
    as given (message_id, agent_name, words, role, speaker, chars, terms)
join public.chat_message_history h on h.user_id = %(user_id)s and h.message_id = given.message_id
order by h.message_id
for key share of h
on conflict (user_id, message_id) do update
set agent_name = coalesce(message_index.agent_name, excluded.agent_name), tsv = excluded.tsv, place = excluded.place,
    role = coalesce(message_index.role, excluded.role), speaker = excluded.speaker, said_at = excluded.said_at, chars = excluded.chars,
    terms = excluded.terms;

-- name: write_message_vectors
-- Vectors of messages that are still what they were.
with held as (
    select message_id, place from chat.message_index
    where user_id = %(user_id)s and message_id = any(%(ids)s::uuid[])
    order by message_id
    for update
)
update chat.message_index i
set vec4 = given.vec4, vec = null, embed_model = %(model)s
from held
join unnest(%(ids)s::uuid[], %(versions)s::bigint[], %(vectors)s::bytea[]) as given (message_id, place, vec4)
    using (message_id, place)
where i.user_id = %(user_id)s and i.message_id = held.message_id;

-- name: write_memory_vectors
-- Vectors of memories that have not changed since; the head is held first, as by whoever changes several of them.
with head as (select user_id from chat.memory_heads where user_id = %(user_id)s for update)
update chat.memories m
set vec = given.vec::halfvec, embed_model = %(model)s
from head, unnest(%(ids)s::uuid[], %(versions)s::bigint[], %(vectors)s::text[]) as given (memory_id, seq, vec)
where m.user_id = %(user_id)s and m.memory_id = given.memory_id and m.seq = given.seq;
