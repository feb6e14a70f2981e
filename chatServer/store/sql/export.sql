-- Everything that is a user's, a page at a time, in the order of a key. What is made of something else (search entries,
-- vectors) or is gone in a day (logs, events, the counters of limits) is left out.

-- name: sessions
-- A page of sessions.
select session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at
from chat.sessions
where user_id = %(user_id)s and session_id > %(after_1)s
order by session_id
limit %(limit)s;

-- name: active_sessions
-- A page of active sessions.
select agent_name, active_session_id, last_active_at, created_at
from public.user_agent_active_sessions
where user_id = %(user_id)s and agent_name > %(after_1)s
order by agent_name
limit %(limit)s;

-- name: turns
-- A page of turns, as many as fit, and one at least; one that still runs is as if it had been interrupted.
select turn_id, session_id, agent_name, turn_key, trigger, encode(request_hash, 'hex') as request_hash,
    case when state = 'running' then 'interrupted' else state end as state, attempt, user_message_id, reply_message_id,
    supersedes_turn_id, client_message_id, partial_text, error_code, model, usage, recalled, revision_state, revision,
    started_at, finished_at
from (
    select turn_id, session_id, agent_name, turn_key, trigger, request_hash, state, attempt, user_message_id,
        reply_message_id, supersedes_turn_id, client_message_id, partial_text, error_code, model, usage, recalled,
        revision_state, revision, started_at, finished_at,
        coalesce(sum(coalesce(octet_length(partial_text), 0) + coalesce(pg_column_size(usage), 0)
                     + coalesce(pg_column_size(recalled), 0) + coalesce(pg_column_size(revision), 0))
                 over (order by turn_id rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from (
        select turn_id, session_id, agent_name, turn_key, trigger, request_hash, state, attempt, user_message_id,
            reply_message_id, supersedes_turn_id, client_message_id, partial_text, error_code, model, usage, recalled,
            revision_state, revision, started_at, finished_at
        from chat.turns
        where user_id = %(user_id)s and turn_id > %(after_1)s
        order by turn_id
        limit %(limit)s
    ) as next
) as measured
where bytes_before < %(bytes)s
order by turn_id;

-- name: messages
-- A page of what was said, with what others have replaced, as it was said; as many as fit, and one at least.
-- To measure one is to unpack and to spell it: 0.17 s for a million characters that JSON escapes (2026-11-17). So only
-- such are measured of which four times as much would fit, if pglz had made each a hundred times as short.
select m.id, m.message_id, m.session_id, m.turn_id, m.created_at, m.tokens, m.importance, m.message,
    coalesce(i.is_hidden, false) as hidden, coalesce(i.role = 'quote', false) as quote, m.superseded_at,
    m.superseded_by,
    array(select p.image_id from chat.message_images p
          where p.user_id = %(user_id)s and p.session_id = m.session_id and p.message_id = m.message_id
          order by p.image_id) as images
from (
    select id, message_id, session_id, turn_id, created_at, tokens, importance, message, superseded_at, superseded_by,
        coalesce(sum(octet_length(message::text)) over (order by id rows between unbounded preceding and 1 preceding), 0)
            as bytes_before
    from (
        select id, message_id, session_id, turn_id, created_at, tokens, importance, message, superseded_at,
            superseded_by,
            coalesce(sum(pg_column_size(message) * case when pg_column_compression(message) is null then 1 else 100 end)
                     over (order by id rows between unbounded preceding and 1 preceding), 0) as most_before
        from (
            (select id, message_id, session_id, turn_id, created_at, tokens, importance, message,
                null::timestamptz as superseded_at, null::uuid as superseded_by
            from public.chat_message_history
            where user_id = %(user_id)s and id > %(after_1)s
            order by id
            limit %(limit)s)
            union all
            (select id, message_id, session_id, turn_id, created_at, tokens, importance, message, superseded_at,
                superseded_by
            from chat.message_superseded
            where user_id = %(user_id)s and id > %(after_1)s
            order by id
            limit %(limit)s)
        ) said
    ) weighed
    where most_before < 4 * %(bytes)s
) m
left join chat.message_index i on i.user_id = %(user_id)s and i.message_id = m.message_id
where m.bytes_before < %(bytes)s
order by m.id
limit %(limit)s;

-- name: read_image
-- One picture.
select image_id, media_type, bytes, created_at
from chat.message_images
where user_id = %(user_id)s and image_id = %(image_id)s;

-- name: summaries
-- A page of summaries, with the last message that each covers.
select s.session_id, s.summary, s.messages, s.tokens, s.model, s.updated_at,
    (select h.message_id from public.chat_message_history h
     where h.user_id = %(user_id)s and h.session_id = s.session_id and h.id <= s.covers_to
     order by h.id desc limit 1) as covers_to
from chat.summaries s
where s.user_id = %(user_id)s and s.session_id > %(after_1)s
order by s.session_id
limit %(limit)s;

-- name: notes
-- A page of pages of notes.
select id, agent_name, notes, version, created_at, updated_at
from public.agent_long_term_memory
where user_id = %(user_id)s and agent_name > %(after_1)s
order by agent_name
limit %(limit)s;

-- name: notes_versions
-- A page of what they were.
select n.id as page_id, v.agent_name, v.version, v.notes, v.operation, v.actor, v.reason, v.turn_id, v.attempt,
    v.untrusted_turn, v.created_at
from chat.notes_versions v
join public.agent_long_term_memory n on n.user_id = v.user_id and n.agent_name = v.agent_name
where v.user_id = %(user_id)s and (v.agent_name, v.version) > (%(after_1)s, %(after_2)s)
order by v.agent_name, v.version
limit %(limit)s;

-- name: memories
-- A page of memories, also of those that no longer hold.
select memory_id, seq, shelf, agent_name, session_id, kind, category, text, importance, tags, tier, subject, predicate,
    object, fact_key, valid_from, valid_to, superseded_by, origin, trust, source_ids, turn_id, attempt, recalls,
    recalled_at, expires_at, created_at, updated_at
from chat.memories
where user_id = %(user_id)s and memory_id > %(after_1)s
order by memory_id
limit %(limit)s;

-- name: memory_changes
-- A page of what was done to them, as many as fit, and one at least: one may have hidden thousands of messages.
select seq, memory_id, operation, actor, reason, message_id, turn_id, attempt, before, hidden, undone, created_at
from (
    select seq, memory_id, operation, actor, reason, message_id, turn_id, attempt, before, hidden, undone, created_at,
        coalesce(sum(coalesce(pg_column_size(before), 0) + 40 * cardinality(hidden))
                 over (order by seq, memory_id rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from (
        select seq, memory_id, operation, actor, reason, message_id, turn_id, attempt, before, hidden, undone, created_at
        from chat.memory_changes
        where user_id = %(user_id)s and (seq, memory_id) > (%(after_1)s, %(after_2)s)
        order by seq, memory_id
        limit %(limit)s
    ) as next
) as measured
where bytes_before < %(bytes)s
order by seq, memory_id;

-- name: articles
-- A page of articles; files that are not read yet are left out.
select article_id, name, title, media_type, size_bytes, content_hash, version, state, error_code, error, pages, tokens,
    chunks, created_at, updated_at
from chat.articles
where user_id = %(user_id)s and article_id > %(after_1)s
order by article_id
limit %(limit)s;

-- name: article_chunks
-- A page of their texts, each with what it belongs to.
select c.article_id, a.content_hash, a.title, c.position, c.page, c.heading, c.text, c.tokens
from chat.article_chunks c
cross join lateral (
    select content_hash, title from chat.articles
    where user_id = %(user_id)s and article_id between c.article_id and c.article_id
    order by article_id  -- which the index by name has not
    limit 1) a
where c.user_id = %(user_id)s and (c.article_id, c.position) > (%(after_1)s, %(after_2)s)
order by c.article_id, c.position
limit %(limit)s;

-- name: usage
-- A page of what turns took; what an erasure has left of its day is no agent's, and stays here.
select day, agent_name, model, turns, input_tokens, output_tokens, revision_tokens
from chat.usage_daily
where user_id = %(user_id)s and agent_name <> '*' and (day, agent_name, model) > (%(after_1)s, %(after_2)s, %(after_3)s)
order by day, agent_name, model
limit %(limit)s;
