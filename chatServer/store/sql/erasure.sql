-- Everything of one user, table by table, in the order in which everybody takes locks; the names are those of the tables.
-- Each says how many rows there were.

-- name: hold_sessions
-- All sessions, until the transaction ends: nobody adds to them meanwhile.
select session_id from chat.sessions where user_id = %(user_id)s order by session_id for update;

-- name: hold_notes
-- All pages of notes, likewise.
select agent_name from public.agent_long_term_memory where user_id = %(user_id)s order by agent_name for update;

-- name: hold_articles
-- All articles: whoever puts a text there holds its article.
select article_id from chat.articles where user_id = %(user_id)s order by article_id for update;

-- name: hold_event_head
-- Whoever tells anything waits from here on, and is then too late.
insert into chat.user_event_heads as heads (user_id, seq)
values (%(user_id)s, (extract(epoch from clock_timestamp()) * 1000)::bigint)
on conflict (user_id) do update set seq = heads.seq;

-- name: user_agent_active_sessions
-- The active sessions.
with gone as (delete from public.user_agent_active_sessions where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: turn_events
-- Logs of turns.
with gone as (delete from chat.turn_events where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: summaries
-- Summaries of sessions.
with gone as (delete from chat.summaries where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: turns
-- Turns.
with gone as (delete from chat.turns where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: notes_versions
-- What pages of notes were.
with gone as (delete from chat.notes_versions where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: agent_long_term_memory
-- Pages of notes.
with gone as (delete from public.agent_long_term_memory where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: memory_heads
-- The number of the last change to memories, first of all that is remembered: whoever changes memories holds it.
with gone as (delete from chat.memory_heads where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: memories
-- Memories.
with gone as (delete from chat.memories where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: memory_changes
-- What was done to memories.
with gone as (delete from chat.memory_changes where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: article_files
-- What was uploaded and is not read yet.
with gone as (delete from chat.article_files where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: article_chunks
-- The texts of articles.
with gone as (delete from chat.article_chunks where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: articles
-- Articles.
with gone as (delete from chat.articles where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: chat_message_history
-- Messages.
with gone as (delete from public.chat_message_history where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: message_superseded
-- Messages that others have replaced.
with gone as (delete from chat.message_superseded where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: message_index
-- What messages and titles are found by; held in the order of their ids, as everywhere.
with held as (
    select message_id from chat.message_index where user_id = %(user_id)s order by message_id for update
), gone as (
    delete from chat.message_index
    where user_id = %(user_id)s and message_id in (select message_id from held)
    returning user_id
)
select count(*) from gone;

-- name: message_images
-- Pictures.
with gone as (delete from chat.message_images where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: sessions
-- Sessions.
with gone as (delete from chat.sessions where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: personal_tokens
-- Tokens of clients.
with gone as (delete from chat.personal_tokens where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: usage_daily
-- What turns took; of today one sum stays, which is no agent's and no model's: limits count it.
with gone as (
    delete from chat.usage_daily where user_id = %(user_id)s
    returning day, agent_name, turns, input_tokens, output_tokens, revision_tokens
), summed as (
    insert into chat.usage_daily as known
        (user_id, day, agent_name, model, turns, input_tokens, output_tokens, revision_tokens)
    select %(user_id)s, day, %(no_agent)s, '', sum(turns), sum(input_tokens), sum(output_tokens), sum(revision_tokens)
    from gone
    where day = (now() at time zone 'utc')::date
    group by day
    having sum(turns + input_tokens + output_tokens) > 0
    on conflict (user_id, day, agent_name, model) do update
    set turns = known.turns + excluded.turns,
        input_tokens = known.input_tokens + excluded.input_tokens,
        output_tokens = known.output_tokens + excluded.output_tokens,
        revision_tokens = known.revision_tokens + excluded.revision_tokens
)
select count(*) from gone where agent_name <> %(no_agent)s;

-- name: user_limits
-- When turns began, unless one of them did in the last minute, which limits count.
with gone as (
    delete from chat.user_limits
    where user_id = %(user_id)s and not now() - interval '1 minute' < any (turns_at)
    returning user_id)
select count(*) from gone;

-- name: forget_usage
-- The sum of a day that is over.
delete from chat.usage_daily
where user_id = %(user_id)s and agent_name = %(no_agent)s and day < (now() at time zone 'utc')::date;

-- name: user_events
-- What was told to tabs and devices.
with gone as (delete from chat.user_events where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: user_event_heads
-- The number of the last such event.
with gone as (delete from chat.user_event_heads where user_id = %(user_id)s returning user_id)
select count(*) from gone;

-- name: insert_receipt
-- That it was done, and how many rows that were.
insert into chat.erasures (user_id, erased_at, counts)
values (%(user_id)s, clock_timestamp(), %(counts)s)
returning erased_at, counts;

-- name: list_receipts
-- The last ones, the newest first.
select erased_at, counts from chat.erasures where user_id = %(user_id)s order by erased_at desc limit %(limit)s;
