-- Whoever changes memories holds the user's head, from before he reads what he decides by. Each change takes the next
-- number there; a row bears the number of its last one.
-- Whoever changes several entries of chat.message_index takes them in the order of their ids, here and elsewhere.

-- name: advance_head
-- The number after the user's last change; the head is held until the transaction ends.
insert into chat.memory_heads as heads (user_id, seq)
values (%(user_id)s, 1)
on conflict (user_id) do update set seq = heads.seq + 1
returning seq;

-- name: read_head
-- The number of the user's last change.
select seq from chat.memory_heads where user_id = %(user_id)s;

-- name: write_memory
-- A memory as it is from now on, new or not, and what was done to it. Its vector goes when its text does.
with head as (
    insert into chat.memory_heads as heads (user_id, seq)
    values (%(user_id)s, 1)
    on conflict (user_id) do update set seq = heads.seq + 1
    returning user_id, seq
), changed as (
    insert into chat.memory_changes
        (user_id, seq, memory_id, operation, actor, reason, message_id, turn_id, attempt, before, hidden)
    select user_id, seq, %(memory_id)s, %(operation)s, %(actor)s, %(reason)s, %(message_id)s,
        %(change_turn_id)s, %(change_attempt)s, %(before)s, %(hidden)s
    from head
)
insert into chat.memories as memories
    (user_id, memory_id, seq, shelf, agent_name, session_id, kind, category, text, digest, importance, tags, tier,
     subject, predicate, object, fact_key, valid_from, valid_to, superseded_by, origin, trust, source_ids,
     turn_id, attempt, tsv, terms, recalls, recalled_at, expires_at, created_at)
select user_id, %(memory_id)s, seq, %(shelf)s, %(agent_name)s, %(session_id)s, %(kind)s, %(category)s, %(text)s,
    %(digest)s, %(importance)s, %(tags)s, %(tier)s, %(subject)s, %(predicate)s, %(object)s, %(fact_key)s,
    %(valid_from)s, %(valid_to)s, %(superseded_by)s, %(origin)s, %(trust)s, %(source_ids)s, %(turn_id)s, %(attempt)s,
    array_to_tsvector(%(words)s::text[]), %(terms)s, %(recalls)s, %(recalled_at)s, %(expires_at)s, %(created_at)s
from head
on conflict (user_id, memory_id) do update
set seq = excluded.seq, shelf = excluded.shelf, kind = excluded.kind, category = excluded.category,
    text = excluded.text, digest = excluded.digest, importance = excluded.importance, tags = excluded.tags,
    tier = excluded.tier, subject = excluded.subject, predicate = excluded.predicate, object = excluded.object,
    fact_key = excluded.fact_key, valid_from = excluded.valid_from, valid_to = excluded.valid_to,
    superseded_by = excluded.superseded_by, origin = excluded.origin, trust = excluded.trust,
    source_ids = excluded.source_ids, tsv = excluded.tsv, terms = excluded.terms,
    embed_model = case when memories.text = excluded.text then memories.embed_model end,
    vec = case when memories.text = excluded.text then memories.vec end,
    expires_at = excluded.expires_at, updated_at = excluded.updated_at;

-- name: delete_memory
-- A memory goes; what was done to it stays.
with head as (
    insert into chat.memory_heads as heads (user_id, seq)
    values (%(user_id)s, 1)
    on conflict (user_id) do update set seq = heads.seq + 1
    returning user_id, seq
), changed as (
    insert into chat.memory_changes
        (user_id, seq, memory_id, operation, actor, reason, message_id, turn_id, attempt, before, hidden)
    select user_id, seq, %(memory_id)s, %(operation)s, %(actor)s, %(reason)s, %(message_id)s,
        %(change_turn_id)s, %(change_attempt)s, %(before)s, %(hidden)s
    from head
)
delete from chat.memories where user_id = %(user_id)s and memory_id = %(memory_id)s;

-- name: read_memories
-- Some memories by id.
select memory_id, text, kind, category, importance, tags, tier, shelf, agent_name, session_id, origin, trust,
    valid_from, valid_to, created_at, updated_at, subject, predicate, object, fact_key, source_ids, superseded_by,
    turn_id, attempt, recalls, recalled_at, expires_at, seq
from chat.memories
where user_id = %(user_id)s and memory_id = any(%(memory_ids)s);

-- name: find_held
-- What a shelf holds under a key, and whatever there says exactly this, also what no longer holds; the newest first.
-- Each branch has an index of its own.
select memory_id, text, kind, category, importance, tags, tier, shelf, agent_name, session_id, origin, trust,
    valid_from, valid_to, created_at, updated_at, subject, predicate, object, fact_key, source_ids, superseded_by,
    turn_id, attempt, recalls, recalled_at, expires_at, seq
from chat.memories
where user_id = %(user_id)s and shelf = %(shelf)s
    and (digest = %(digest)s and valid_to is null or digest = %(digest)s and valid_to is not null
        or fact_key = %(fact_key)s and valid_to is null or fact_key = %(fact_key)s and valid_to > now())
order by seq desc
limit 20;

-- name: find_holders
-- What holds under a key on any shelf, the newest first.
select memory_id, text, kind, category, importance, tags, tier, shelf, agent_name, session_id, origin, trust,
    valid_from, valid_to, created_at, updated_at, subject, predicate, object, fact_key, source_ids, superseded_by,
    turn_id, attempt, recalls, recalled_at, expires_at, seq
from chat.memories
where user_id = %(user_id)s and fact_key = %(fact_key)s and (valid_to is null or valid_to > now())
order by seq desc
limit 20;

-- name: find_near
-- Of the newest memories of a shelf that hold, those that share the most words with a text.
select memory_id, text, kind, category, importance, tags, tier, shelf, agent_name, session_id, origin, trust,
    valid_from, valid_to, created_at, updated_at, subject, predicate, object, fact_key, source_ids, superseded_by,
    turn_id, attempt, recalls, recalled_at, expires_at, seq
from (
    select memory_id, text, kind, category, importance, tags, tier, shelf, agent_name, session_id, origin, trust,
        valid_from, valid_to, created_at, updated_at, subject, predicate, object, fact_key, source_ids, superseded_by,
        turn_id, attempt, recalls, recalled_at, expires_at, seq, tsv
    from chat.memories
    where user_id = %(user_id)s and shelf = %(shelf)s and (valid_to is null or valid_to > now())
        and (expires_at is null or expires_at > now())
    order by seq desc
    limit %(among)s
) newest
where tsv @@ %(words)s::tsquery
order by ts_rank(tsv, %(words)s::tsquery) desc, seq desc
limit %(limit)s;

-- name: list_memories
-- A page of memories, the last changed first: those that hold now or held at a time, or all that ever did.
select memory_id, text, kind, category, importance, tags, tier, shelf, agent_name, session_id, origin, trust,
    valid_from, valid_to, created_at, updated_at, subject, predicate, object, fact_key, source_ids, superseded_by,
    turn_id, attempt, recalls, recalled_at, expires_at, seq
from chat.memories
where user_id = %(user_id)s and seq < %(before)s
    and (%(kind)s::text is null or kind = %(kind)s)
    and (%(category)s::text is null or category = %(category)s)
    and (%(tier)s::text is null or tier = %(tier)s)
    and (%(trust)s::text is null or trust = %(trust)s)
    and (%(tag)s::text is null or tags @> array[%(tag)s::text])
    and (%(agent_name)s::text is null or agent_name = %(agent_name)s)
    and (%(shelves)s::text[] is null or shelf = any(%(shelves)s::text[]))
    and (%(session_id)s::text is null or session_id = %(session_id)s)
    and (%(ids)s::uuid[] is null or memory_id = any(%(ids)s::uuid[]))
    and (%(phrase)s::text is null or position(lower(%(phrase)s) in lower(text)) > 0 or tsv @@ %(words)s::tsquery)
    and (%(ever)s or valid_from <= coalesce(%(at)s, now())
        and (valid_to is null or valid_to > coalesce(%(at)s, now()))
        and (expires_at is null or expires_at > coalesce(%(at)s, now())))
order by seq desc
limit %(limit)s;

-- name: read_triples
-- The facts about some entities, on either side, that hold now, held at a time or ever did; the last changed first.
select memory_id, text, kind, category, importance, tags, tier, shelf, agent_name, session_id, origin, trust,
    valid_from, valid_to, created_at, updated_at, subject, predicate, object, fact_key, source_ids, superseded_by,
    turn_id, attempt, recalls, recalled_at, expires_at, seq
from chat.memories
where user_id = %(user_id)s and subject is not null
    and (%(entities)s::text[] is null
        or lower(subject) = any(%(entities)s::text[]) or lower(object) = any(%(entities)s::text[]))
    and (%(ever)s or valid_from <= coalesce(%(at)s, now()) and (valid_to is null or valid_to > coalesce(%(at)s, now())))
order by seq desc
limit %(limit)s;

-- name: read_names
-- The facts by which somebody may go by several names: what the user is called, whom the user has, and whose they are.
select memory_id, text, kind, category, importance, tags, tier, shelf, agent_name, session_id, origin, trust,
    valid_from, valid_to, created_at, updated_at, subject, predicate, object, fact_key, source_ids, superseded_by,
    turn_id, attempt, recalls, recalled_at, expires_at, seq
from chat.memories
where user_id = %(user_id)s and subject is not null and valid_to is null and (expires_at is null or expires_at > now())
    and (lower(subject) = 'user' and (lower(predicate) = any(%(naming)s) or starts_with(lower(predicate), 'has '))
        or subject ~ '^[a-z]{2,20}:')
order by seq desc
limit 1000;

-- name: find_replaced_by
-- What a memory has taken the place of, the newest first.
select memory_id, text, kind, category, importance, tags, tier, shelf, agent_name, session_id, origin, trust,
    valid_from, valid_to, created_at, updated_at, subject, predicate, object, fact_key, source_ids, superseded_by,
    turn_id, attempt, recalls, recalled_at, expires_at, seq
from chat.memories
where user_id = %(user_id)s and superseded_by = %(memory_id)s
order by seq desc;

-- name: find_sources_in
-- The messages of a session, from a place on, from which something was learned; from the first on, also replaced ones.
select distinct source.message_id
from chat.memories m, unnest(m.source_ids) as source (message_id)
where m.user_id = %(user_id)s and (
    exists (select from public.chat_message_history h
            where h.user_id = %(user_id)s and h.message_id = source.message_id
                and h.session_id = %(session_id)s and h.id >= %(first)s)
    or %(first)s = 0 and exists (
        select from chat.message_superseded r
        where r.user_id = %(user_id)s and r.message_id = source.message_id and r.session_id = %(session_id)s));

-- name: find_said_by
-- The memories of some messages, those on a session's own shelf, and what clients kept only there; the oldest first.
select memory_id, text, kind, category, importance, tags, tier, shelf, agent_name, session_id, origin, trust,
    valid_from, valid_to, created_at, updated_at, subject, predicate, object, fact_key, source_ids, superseded_by,
    turn_id, attempt, recalls, recalled_at, expires_at, seq
from chat.memories
where user_id = %(user_id)s and (source_ids && %(message_ids)s::uuid[] or shelf = %(shelf)s
    or origin = 'mcp' and session_id = %(shelf)s and source_ids <@ %(message_ids)s::uuid[])
order by seq;

-- name: last_said
-- When the last of some messages was said.
select max(said_at) from chat.message_index where user_id = %(user_id)s and message_id = any(%(message_ids)s::uuid[]);

-- name: hold_head
-- Nobody else changes memories until the transaction ends; no number is taken.
select seq from chat.memory_heads where user_id = %(user_id)s for update;

-- name: bump_recalls
-- What a turn was given was of use when it ended, unless that, or a later use, was counted before.
-- No change to what memories say: it takes no number, and leaves no row among the changes.
update chat.memories m set recalls = m.recalls + 1, recalled_at = t.finished_at
from chat.turns t, jsonb_array_elements(t.recalled -> 'items') as given
where m.user_id = %(user_id)s and t.user_id = %(user_id)s and t.turn_id = %(turn_id)s
    and given ->> 'what' = 'memory' and m.memory_id = (given ->> 'id')::uuid
    and (m.recalled_at is null or m.recalled_at < t.finished_at);

-- name: find_saying
-- Messages and titles in a shelf's reach that have all these words, or, where the user did not say them, fewer.
select message_id from chat.message_index
where user_id = %(user_id)s
    and (%(shelf)s = %(every_agent)s or agent_name = %(shelf)s or session_id = %(shelf)s)
    and (tsv @@ %(words)s::tsquery or role is distinct from 'user' and tsv @@ %(quoted)s::tsquery)
limit %(limit)s;

-- name: hide_messages
-- Recall shows these messages no longer, nor, where that is wanted, titles under such ids; those that there are.
with held as (
    select message_id from chat.message_index
    where user_id = %(user_id)s and message_id = any(%(message_ids)s) and (%(titles)s or place is not null)
    order by message_id
    for update
)
update chat.message_index i set is_hidden = true
from held
where i.user_id = %(user_id)s and i.message_id = held.message_id
returning i.message_id;

-- name: show_messages
-- Recall shows these messages again, except for those that say something else which is still forgotten.
with held as (
    select message_id from chat.message_index
    where user_id = %(user_id)s and message_id = any(%(message_ids)s)
    order by message_id
    for update
)
update chat.message_index i set is_hidden = false
from held
where i.user_id = %(user_id)s and i.message_id = held.message_id
    and i.message_id <> all(array(
        select unnest(c.hidden) from chat.memory_changes c
        where c.user_id = %(user_id)s and not c.undone and c.hidden && %(message_ids)s));
