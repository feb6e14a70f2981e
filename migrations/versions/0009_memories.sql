-- 0009: memories, and what recall finds messages by.

set local lock_timeout = '5s';

-- What a turn's prompt was given of what is remembered: where it is from, never its text.
alter table chat.turns add column recalled jsonb;

-- Rows of before have none of it until `chatserver memory reembed` has come by.
alter table chat.message_index
    add column place bigint,
    add column role text,
    add column speaker text,
    add column said_at timestamptz,
    add column chars integer,
    add column terms bytea,
    add column is_hidden boolean not null default false;
create index message_index_by_place on chat.message_index (user_id, place);

-- The number of a user's last change to what is remembered. Whoever changes memories holds the row: so changes of one
-- user come one after the other, and whoever knows all up to a number asks only for what came later.
create table chat.memory_heads (
    user_id  uuid    not null default chat.uid(),
    seq      bigint  not null default 0,
    primary key (user_id)
);

-- What is remembered: one small record each. It holds while valid_to is null; what was replaced stays, with the time.
create table chat.memories (
    user_id        uuid        not null default chat.uid(),
    memory_id      uuid        not null,
    seq            bigint      not null,                    -- of its last change
    shelf          text        not null,                    -- who recalls it: '*' every agent, an agent, or a session's id
    agent_name     text        not null,                    -- whom it was told
    session_id     text,                                    -- where
    kind           text        not null check (kind in ('concept', 'episode', 'fact', 'procedure', 'working')),
    category       text        not null check (category in ('error_pattern', 'code_context', 'solution',
                                                            'user_preference', 'task_history', 'knowledge')),
    text           text        not null check (text <> '' and octet_length(text) <= 8192),
    digest         bytea       not null,                    -- of the folded text: the same is remembered once
    importance     real        not null check (importance between 0 and 1),
    tags           text[]      not null default '{}',
    tier           text        not null default 'short' check (tier in ('short', 'long')),
    subject        text,
    predicate      text,
    object         text,
    fact_key       text,                                    -- of its key only one holds at a time
    valid_from     timestamptz not null default now(),
    valid_to       timestamptz,
    superseded_by  uuid,
    origin         text        not null check (origin in ('rules', 'model', 'user', 'tool', 'import')),
    trust          text        not null check (trust in ('user', 'assistant', 'untrusted')),
    source_ids     uuid[]      not null default '{}',       -- the messages that said it, the latest last
    turn_id        uuid,
    attempt        integer,
    tsv            tsvector    not null,
    terms          bytea       not null,
    embed_model    text,
    vec            halfvec,
    recalls        integer     not null default 0,
    recalled_at    timestamptz,
    expires_at     timestamptz,
    created_at     timestamptz not null default now(),
    updated_at     timestamptz not null default now(),
    primary key (user_id, memory_id),
    check (num_nonnulls(subject, predicate, object) in (0, 3))
);
create unique index memories_once on chat.memories (user_id, shelf, digest) where valid_to is null;
create unique index memories_by_key on chat.memories (user_id, shelf, fact_key) where valid_to is null;
create index memories_by_seq on chat.memories (user_id, seq);

-- Every change to a memory: who, why, from which message; and what was before, so that it can be undone.
create table chat.memory_changes (
    user_id     uuid        not null default chat.uid(),
    seq         bigint      not null,
    memory_id   uuid        not null,
    operation   text        not null check (operation in ('created', 'repeated', 'edited', 'superseded', 'merged',
                                                          'promoted', 'expired', 'deleted', 'restored')),
    actor       text        not null check (actor in ('user', 'rules', 'model', 'maintenance')),
    reason      text,
    message_id  uuid,
    turn_id     uuid,
    attempt     integer,
    before      jsonb,                                      -- null: there was nothing
    hidden      uuid[]      not null default '{}',          -- messages that recall no longer shows since then
    undone      boolean     not null default false,
    created_at  timestamptz not null default now(),
    primary key (user_id, seq, memory_id)
);
create index memory_changes_by_memory on chat.memory_changes (user_id, memory_id, seq);

-- Which embedder the vectors are of; one row, nobody's.
create table chat.embedding (
    user_id  uuid     not null default chat.uid(),
    model    text     not null,
    size     integer  not null,
    primary key (user_id)
);

revoke all on chat.memory_heads, chat.memories, chat.memory_changes, chat.embedding from public, anon, authenticated;
grant select, insert, update, delete on chat.memory_heads, chat.memories, chat.memory_changes, chat.embedding to chat_user;
alter table chat.memory_heads enable row level security, force row level security;
alter table chat.memories enable row level security, force row level security;
alter table chat.memory_changes enable row level security, force row level security;
alter table chat.embedding enable row level security, force row level security;
create policy own_rows on chat.memory_heads to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.memories to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.memory_changes to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.embedding to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));

-- Whose vectors are of which embedder, and who has memories to maintain: ids, numbers and times.
grant select (user_id, embed_model) on chat.message_index to chat_jobs;
grant select (user_id, embed_model, updated_at, expires_at) on chat.memories to chat_jobs;
create policy ids_and_models on chat.message_index for select to chat_jobs using (true);
create policy ids_and_times on chat.memories for select to chat_jobs using (true);
