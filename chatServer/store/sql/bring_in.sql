-- Rows of a document, a batch at a time, under the caller's own id. What is there already stays as it is; each says how
-- many were new.

-- name: sessions
-- Sessions; those that were new.
insert into chat.sessions
    (user_id, session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at)
select %(user_id)s, session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at
from jsonb_to_recordset(%(rows)s) as given (session_id text, agent_name text, external_id text, title text,
    memory text, created_at timestamptz, last_active_at timestamptz, archived_at timestamptz)
on conflict do nothing
returning session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at;

-- name: active_sessions
-- Which sessions are active, of those that are there.
with added as (
    insert into public.user_agent_active_sessions (user_id, agent_name, active_session_id, last_active_at, created_at)
    select %(user_id)s, agent_name, active_session_id, last_active_at, created_at
    from jsonb_to_recordset(%(rows)s) as given (agent_name text, active_session_id text, last_active_at timestamptz,
        created_at timestamptz)
    where exists (select from chat.sessions s where s.user_id = %(user_id)s
                      and s.session_id = given.active_session_id and s.agent_name = given.agent_name)
    on conflict do nothing
    returning user_id)
select count(*) from added;

-- name: turns
-- Turns of sessions that are there.
with added as (
    insert into chat.turns (user_id, turn_id, session_id, agent_name, turn_key, trigger, request_hash, state, attempt,
        user_message_id, reply_message_id, supersedes_turn_id, client_message_id, partial_text, error_code, model, usage,
        recalled, revision_state, revision, started_at, finished_at)
    select %(user_id)s, turn_id, session_id, agent_name, turn_key, trigger, decode(request_hash, 'hex'), state, attempt,
        user_message_id, reply_message_id, supersedes_turn_id, client_message_id, partial_text, error_code, model, usage,
        recalled, revision_state, revision, started_at, finished_at
    from jsonb_to_recordset(%(rows)s) as given (turn_id uuid, session_id text, agent_name text, turn_key text,
        trigger text, request_hash text, state text, attempt integer, user_message_id uuid, reply_message_id uuid,
        supersedes_turn_id uuid, client_message_id text, partial_text text, error_code text, model text, usage jsonb,
        recalled jsonb, revision_state text, revision jsonb, started_at timestamptz, finished_at timestamptz)
    where exists (select from chat.sessions s where s.user_id = %(user_id)s and s.session_id = given.session_id)
    on conflict do nothing
    returning user_id)
select count(*) from added;

-- name: hold_sessions
-- The sessions that rows come into, as everybody who adds to them holds them.
select session_id from chat.sessions
where user_id = %(user_id)s and session_id = any(%(session_ids)s)
order by session_id
for update;

-- name: messages
-- Messages of sessions that are there, in the order of the document, which is their order from now on; the new ones.
-- Their tokens are counted when a prompt meets them: a document may say anything.
insert into public.chat_message_history (user_id, session_id, message_id, message, turn_id, created_at, importance)
select %(user_id)s, given.session_id, given.message_id, given.message, given.turn_id, given.created_at, given.importance
from jsonb_to_recordset(%(rows)s) as given (place integer, message_id uuid, session_id text, turn_id uuid,
    created_at timestamptz, importance real, message jsonb)
where exists (select from chat.sessions s where s.user_id = %(user_id)s and s.session_id = given.session_id)
    and not exists (select from chat.message_superseded m
                    where m.user_id = %(user_id)s and m.message_id = given.message_id)
order by given.place
on conflict do nothing
returning message_id;

-- name: answer
-- Turns that an export saw running, and whose answer came along: it was given.
update chat.turns set state = 'done', finished_at = coalesce(finished_at, now())
where user_id = %(user_id)s and turn_id = any(%(turn_ids)s) and state = 'interrupted'
    and reply_message_id = any(%(message_ids)s);

-- name: supersede
-- Those of them that had been replaced go where such messages are.
with moved as (
    delete from public.chat_message_history
    where user_id = %(user_id)s and message_id = any(%(message_ids)s)
    returning user_id, id, session_id, message, created_at, message_id, turn_id, tokens, importance
)
insert into chat.message_superseded (user_id, id, session_id, message, created_at, message_id, turn_id, tokens,
    importance, superseded_at, superseded_by)
select m.user_id, m.id, m.session_id, m.message, m.created_at, m.message_id, m.turn_id, m.tokens, m.importance,
    given.superseded_at, given.superseded_by
from moved m
join jsonb_to_recordset(%(rows)s) as given (message_id uuid, superseded_at timestamptz, superseded_by uuid)
    on given.message_id = m.message_id and m.user_id = %(user_id)s;

-- name: mark
-- Messages that recall does not show; what they are found by is made later, and leaves that as it is.
insert into chat.message_index (user_id, message_id, session_id, tsv, role, is_hidden)
select %(user_id)s, message_id, session_id, ''::tsvector, case when quote then 'quote' end, hidden
from jsonb_to_recordset(%(rows)s) as given (message_id uuid, session_id text, quote boolean, hidden boolean)
where message_id = any(%(message_ids)s)
on conflict do nothing;

-- name: image
-- A picture of a message.
insert into chat.message_images (user_id, image_id, session_id, message_id, media_type, bytes, created_at)
values (%(user_id)s, %(image_id)s, %(session_id)s, %(message_id)s, %(media_type)s, %(bytes)s, %(created_at)s)
on conflict do nothing;

-- name: summaries
-- Summaries of sessions whose message they go up to is there.
with added as (
    insert into chat.summaries (user_id, session_id, summary, covers_to, messages, tokens, model, updated_at)
    select %(user_id)s, given.session_id, given.summary, h.id, given.messages, given.tokens, given.model,
        given.updated_at
    from jsonb_to_recordset(%(rows)s) as given (session_id text, summary text, messages bigint, tokens integer,
        model text, updated_at timestamptz, covers_to uuid)
    join public.chat_message_history h
        on h.user_id = %(user_id)s and h.message_id = given.covers_to and h.session_id = given.session_id
    where exists (select from chat.sessions s where s.user_id = %(user_id)s and s.session_id = given.session_id)
    on conflict do nothing
    returning user_id)
select count(*) from added;

-- name: notes
-- Pages of notes.
with added as (
    insert into public.agent_long_term_memory (user_id, id, agent_name, notes, version, created_at, updated_at)
    select %(user_id)s, id, agent_name, notes, version, created_at, updated_at
    from jsonb_to_recordset(%(rows)s) as given (id uuid, agent_name text, notes text, version integer,
        created_at timestamptz, updated_at timestamptz)
    on conflict do nothing
    returning user_id)
select count(*) from added;

-- name: hold_notes
-- The pages that versions come into, as everybody who writes them holds them.
select agent_name from public.agent_long_term_memory
where user_id = %(user_id)s and agent_name = any(%(agent_names)s)
order by agent_name
for update;

-- name: notes_versions
-- What pages were, of those pages that are the document's.
with added as (
    insert into chat.notes_versions (user_id, agent_name, version, notes, operation, actor, reason, turn_id, attempt,
        untrusted_turn, created_at)
    select %(user_id)s, agent_name, version, notes, operation, actor, reason, turn_id, attempt, untrusted_turn,
        created_at
    from jsonb_to_recordset(%(rows)s) as given (page_id uuid, agent_name text, version integer, notes text,
        operation text, actor text, reason text, turn_id uuid, attempt integer, untrusted_turn boolean,
        created_at timestamptz)
    where exists (select from public.agent_long_term_memory n
                  where n.user_id = %(user_id)s and n.agent_name = given.agent_name and n.id = given.page_id)
    on conflict do nothing
    returning user_id)
select count(*) from added;

-- name: hold_memories
-- The user's memories, until the transaction ends; numbers go on behind those of the document.
insert into chat.memory_heads as heads (user_id, seq)
values (%(user_id)s, %(seq)s)
on conflict (user_id) do update set seq = greatest(heads.seq, excluded.seq);

-- name: memories
-- Memories; what is remembered in the same words, or under the same key, stays what it is.
with added as (
    insert into chat.memories (user_id, memory_id, seq, shelf, agent_name, session_id, kind, category, text, digest,
        importance, tags, tier, subject, predicate, object, fact_key, valid_from, valid_to, superseded_by, origin, trust,
        source_ids, turn_id, attempt, tsv, terms, recalls, recalled_at, expires_at, created_at, updated_at)
    select %(user_id)s, memory_id, seq, shelf, agent_name, session_id, kind, category, text, decode(digest, 'hex'),
        importance, tags, tier, subject, predicate, object, fact_key, valid_from, valid_to, superseded_by, origin, trust,
        source_ids, turn_id, attempt, array_to_tsvector(words), decode(terms, 'hex'), recalls, recalled_at, expires_at,
        created_at, updated_at
    from jsonb_to_recordset(%(rows)s) as given (memory_id uuid, seq bigint, shelf text, agent_name text,
        session_id text, kind text, category text, text text, digest text, importance real, tags text[], tier text,
        subject text, predicate text, object text, fact_key text, valid_from timestamptz, valid_to timestamptz,
        superseded_by uuid, origin text, trust text, source_ids uuid[], turn_id uuid, attempt integer, words text[],
        terms text, recalls integer, recalled_at timestamptz, expires_at timestamptz, created_at timestamptz,
        updated_at timestamptz)
    on conflict do nothing
    returning user_id)
select count(*) from added;

-- name: memory_changes
-- What was done to memories; which of it was new.
insert into chat.memory_changes (user_id, seq, memory_id, operation, actor, reason, message_id, turn_id, attempt,
    before, hidden, undone, created_at)
select %(user_id)s, seq, memory_id, operation, actor, reason, message_id, turn_id, attempt, before, hidden, undone,
    created_at
from jsonb_to_recordset(%(rows)s) as given (seq bigint, memory_id uuid, operation text, actor text, reason text,
    message_id uuid, turn_id uuid, attempt integer, before jsonb, hidden uuid[], undone boolean,
    created_at timestamptz)
on conflict do nothing
returning seq, memory_id;

-- name: hide_titles
-- The titles that new changes have hidden are hidden again: they have their entries by now, under their session's id.
-- Messages bring their marks along; one that is there already stays as it is.
with held as (
    select message_id from chat.message_index
    where user_id = %(user_id)s and message_id = any(%(message_ids)s) and message_id::text = session_id
    order by message_id
    for update
)
update chat.message_index i set is_hidden = true
from held
where i.user_id = %(user_id)s and i.message_id = held.message_id;

-- name: articles
-- Articles, without their texts yet; one under the same name stays what it is, and the ids of shared ones are taken.
-- Their numbers are below those of uploads, each time others, so that who has kept the text knows this for another.
with added as (
    insert into chat.articles (user_id, article_id, name, title, media_type, size_bytes, content_hash, version, state,
        error_code, error, pages, created_at, updated_at, read_version)
    select %(user_id)s, article_id, name, title, media_type, size_bytes, content_hash, version, state, error_code, error,
        pages, created_at, updated_at, -1 - (random() * 2000000000)::integer
    from jsonb_to_recordset(%(rows)s) as given (article_id uuid, name text, title text, media_type text,
        size_bytes integer, content_hash text, version integer, state text, error_code text, error text, pages integer,
        created_at timestamptz, updated_at timestamptz)
    where not exists (select from chat.articles shared
                      where shared.user_id = %(shared_id)s and shared.article_id = given.article_id)
    on conflict do nothing
    returning user_id)
select count(*) from added;

-- name: count_new
-- How many of these articles are not there, by id or by name, and how many chunks they and those that are there lack.
select count(*) filter (where own.article_id is null and named.article_id is null) as articles,
    coalesce(sum(greatest(given.chunks - coalesce(own.chunks, 0), 0)) filter (
        where own.content_hash = given.content_hash or (own.article_id is null and named.article_id is null)
    ), 0)::bigint as chunks
from unnest(%(article_id)s::uuid[], %(name)s::text[], %(content_hash)s::text[], %(chunks)s::integer[])
    as given (article_id, name, content_hash, chunks)
left join chat.articles own on own.user_id = %(user_id)s and own.article_id = given.article_id
left join chat.articles named on named.user_id = %(user_id)s and named.name = given.name;

-- name: hold_articles
-- The articles that texts come into, as everybody who changes them holds them.
select article_id from chat.articles
where user_id = %(user_id)s and article_id = any(%(article_ids)s)
order by article_id
for update;

-- name: article_chunks
-- Texts of articles that are there, of the same file.
insert into chat.article_chunks (user_id, article_id, position, page, heading, text, tokens, tsv)
select %(user_id)s, given.article_id, given.position, given.page, given.heading, given.text, given.tokens,
    array_to_tsvector(given.words)
from jsonb_to_recordset(%(rows)s) as given (article_id uuid, content_hash text, position integer, page integer,
    heading text, text text, tokens integer, words text[])
join chat.articles a on a.user_id = %(user_id)s and a.article_id = given.article_id
    and a.content_hash = given.content_hash
on conflict do nothing
returning article_id;

-- name: count_chunks
-- How much text these articles have now.
update chat.articles a set chunks = counted.chunks, tokens = counted.tokens
from unnest(%(article_ids)s::uuid[]) as given (article_id)
cross join lateral (
    select count(*)::integer as chunks, sum(tokens)::integer as tokens
    from chat.article_chunks
    where user_id = %(user_id)s and article_id = given.article_id) counted
where a.user_id = %(user_id)s and a.article_id = given.article_id and counted.chunks > 0;

-- name: call_read
-- Of these articles those that lacked text, and have as much as the document by now.
update chat.articles a set state = 'ready', error_code = null, error = null
from unnest(%(article_ids)s::uuid[], %(whole)s::integer[]) as given (article_id, whole)
where a.user_id = %(user_id)s and a.article_id = given.article_id
    and a.error_code = 'not_read' and a.read_version < 0 and given.whole > 0 and a.chunks >= given.whole;

-- name: usage
-- What turns took on other days: today is counted here, whatever a document says.
with added as (
    insert into chat.usage_daily (user_id, day, agent_name, model, turns, input_tokens, output_tokens,
        revision_tokens)
    select %(user_id)s, day, agent_name, model, turns, input_tokens, output_tokens, revision_tokens
    from jsonb_to_recordset(%(rows)s) as given (day date, agent_name text, model text, turns integer,
        input_tokens bigint, output_tokens bigint, revision_tokens bigint)
    where day < (now() at time zone 'utc')::date
    on conflict do nothing
    returning user_id)
select count(*) from added;
