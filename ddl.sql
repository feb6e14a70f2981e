-- The whole schema, top to bottom. Always equal to `alembic upgrade head`; tests/migration proves it.
-- Apply to an empty database with: psql --single-transaction -v ON_ERROR_STOP=1 -f ddl.sql
--
-- Rules that let the same schema run on one Postgres and, distributed by user_id, on many:
-- user_id leads every primary and unique key, foreign keys are on (user_id, x), no triggers,
-- every row belongs to a user, and every policy compares user_id with chat.uid(): in the tables of a turn as it is, since
-- each statement names its user, and Postgres then compares the two once for all rows; elsewhere as (select chat.uid()).
-- Postgres reads a check from its text for each statement that writes, but a domain's once for each connection: of a table
-- that every turn writes, a list of values is a domain's.

set local lock_timeout = '5s';
set local search_path = public, extensions;


-- Roles -------------------------------------------------------------------------------------------
-- chat_app logs in and may do nothing by itself; chat_user is what it becomes for one transaction;
-- chat_jobs works off the job queue and sees nothing else. anon and authenticated are Supabase's: made here only
-- where they are missing, so that plain Postgres gets the same grants.

do $roles$
declare
    role_name text;
    options text;
begin
    for role_name, options in
        values ('chat_app', 'login noinherit'), ('chat_user', 'nologin noinherit'), ('chat_jobs', 'nologin noinherit'),
               ('anon', 'nologin noinherit'), ('authenticated', 'nologin noinherit')
    loop
        if not exists (select from pg_roles where rolname = role_name) then
            begin
                execute format('create role %I %s', role_name, options);
            exception when duplicate_object or unique_violation then
                null;  -- another database of this cluster migrates at the same moment
            end;
        end if;
    end loop;
    foreach role_name in array array['chat_user', 'chat_jobs'] loop
        if not exists (
            select from pg_auth_members
            where roleid = role_name::regrole and member = 'chat_app'::regrole
        ) then
            begin
                execute format('grant %I to chat_app', role_name);
            exception when unique_violation then
                null;
            end;
        end if;
    end loop;
end
$roles$;


-- Schemas and who is asking -------------------------------------------------------------------------

create schema if not exists chat;
revoke all on schema chat from public;
grant usage on schema chat to chat_user;
grant usage on schema public to chat_user;

do $extension$
begin
    if exists (select from pg_namespace where nspname = 'extensions') then
        create extension if not exists vector with schema extensions;
        grant usage on schema extensions to chat_user;
    else
        create extension if not exists vector;
    end if;
end
$extension$;

-- The user of this transaction, or null: nobody. Each policy of each statement asks for it, some forty times in a turn, and
-- of a setting that is the id and nothing else it is had for less (2026-11-19). Servers of before revision 0024, and
-- PostgREST, say it in the claims. Supabase's auth.uid() reads the same two.
create function chat.claimed_uid() returns uuid
    language plpgsql stable parallel safe
as $$
begin
    return nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub';
end
$$;
revoke all on function chat.claimed_uid() from public;
grant execute on function chat.claimed_uid() to chat_user, authenticated;

create function chat.uid() returns uuid
    stable parallel safe
    return coalesce(nullif(current_setting('request.jwt.claim.sub', true), '')::uuid, chat.claimed_uid());

revoke all on function chat.uid() from public;
grant execute on function chat.uid() to chat_user, authenticated;


-- Lists of values ------------------------------------------------------------------------------------
-- Of the columns of tables that every turn writes. Only where servers hardly ever read one as it is did the column become
-- of the domain: what a server has prepared to read it fails once then. Of others the check asks the domain.

create domain chat.turn_trigger as text check (value in ('submit', 'edit', 'regenerate'));
create domain chat.turn_state as text check (value in ('running', 'done', 'failed', 'stopped', 'interrupted'));
create domain chat.revision_state as text check (value in ('none', 'queued', 'running', 'done', 'failed'));
create domain chat.event_kind as text check (value in ('session', 'title', 'turn', 'memory', 'knowledge'));
create domain chat.on_or_off as text check (value in ('on', 'off'));


-- Sessions ------------------------------------------------------------------------------------------

-- Every thread of a user with an agent, past ones too.
create table chat.sessions (
    user_id         uuid        not null default chat.uid(),
    session_id      text        not null check (session_id = session_id::uuid::text),
    agent_name      text        not null,
    external_id     text,                                   -- the client's own name for it, when not a UUID
    title           text,
    memory          text        not null default 'on' check (memory::chat.on_or_off is not null),
    created_at      timestamptz not null default now(),
    last_active_at  timestamptz not null default now(),
    archived_at     timestamptz,
    summarising_until timestamptz,                          -- until then somebody makes its summary
    is_summarised_by_job boolean not null default false,    -- and that is a job, of which a session has one at a time
    primary key (user_id, session_id),
    unique (user_id, external_id)
);
create index sessions_by_activity on chat.sessions (user_id, last_active_at desc, session_id desc);

-- Which thread a user is in with each agent.
create table public.user_agent_active_sessions (
    user_id            uuid        not null default chat.uid(),
    agent_name         text        not null,
    active_session_id  text        not null,
    last_active_at     timestamptz not null default now(),
    created_at         timestamptz not null default now(),
    primary key (user_id, agent_name)
);


-- Messages ------------------------------------------------------------------------------------------

-- The current conversation, in the row format of langchain_postgres.PostgresChatMessageHistory, which
-- sets session_id and message alone. id is the order, taken under the session's row lock.
create table public.chat_message_history (
    id          bigint      generated always as identity,
    session_id  text        not null,
    message     jsonb       not null,
    created_at  timestamptz not null default now(),
    user_id     uuid        not null default chat.uid(),
    message_id  uuid        not null default gen_random_uuid(),
    turn_id     uuid,
    tokens      integer,
    importance  real        not null default 0.7,
    primary key (user_id, id),
    unique (user_id, message_id)
);
create index chat_message_history_by_session on public.chat_message_history (user_id, session_id, id);

-- What an edit or a regeneration replaced.
create table chat.message_superseded (
    id                bigint      not null,
    session_id        text        not null,
    message           jsonb       not null,
    created_at        timestamptz not null,
    user_id           uuid        not null default chat.uid(),
    message_id        uuid        not null,
    turn_id           uuid,
    tokens            integer,
    importance        real        not null,
    superseded_at     timestamptz not null default now(),
    superseded_by     uuid,                                 -- the turn that took its place
    primary key (user_id, id),
    unique (user_id, message_id)
);
create index message_superseded_by_session on chat.message_superseded (user_id, session_id, id);

-- Search beside the messages: derived and rebuildable. No index on tsv: @@ is not leakproof, so under row
-- level security Postgres filters by user_id first and could never use one.
create table chat.message_index (
    user_id      uuid  not null default chat.uid(),
    message_id   uuid  not null,
    session_id   text  not null,
    agent_name   text,
    tsv          tsvector not null,
    embed_model  text,
    vec          halfvec,                           -- of before revision 0020
    place        bigint,                            -- of the message among all; null: a title's
    role         text,                              -- user, assistant; quote: an answer that says again what was said
    speaker      text,                              -- the name that the message carries
    said_at      timestamptz,
    chars        integer,
    terms        bytea,                             -- packed, as messages/terms.py cuts them
    is_hidden    boolean not null default false,    -- forgotten: still in its session, recalled no more
    vec4         bytea,                             -- int16 size, int16 1, and that many numbers of four bits
    primary key (user_id, message_id)
);
create index message_index_by_session on chat.message_index (user_id, session_id);
create index message_index_by_place on chat.message_index (user_id, place);

-- Pictures that messages refer to as image:<image_id>.
create table chat.message_images (
    user_id     uuid        not null default chat.uid(),
    image_id    uuid        not null,
    session_id  text        not null,
    message_id  uuid        not null,
    media_type  text        not null,
    bytes       bytea       not null,
    created_at  timestamptz not null default now(),
    primary key (user_id, image_id)
);
create index message_images_by_session on chat.message_images (user_id, session_id, message_id);


-- Turns and events ----------------------------------------------------------------------------------

-- One request, its answer and its after-work. A running turn past its lease reads as interrupted.
create table chat.turns (
    user_id             uuid        not null default chat.uid(),
    turn_id             uuid        not null,
    session_id          text        not null,
    agent_name          text        not null,
    turn_key            text,                               -- null: the client asked for no deduplication
    trigger             chat.turn_trigger not null default 'submit',
    request_hash        bytea,
    state               chat.turn_state not null default 'running',
    attempt             integer     not null default 1,
    lease_until         timestamptz,
    stop_requested_at   timestamptz,
    user_message_id     uuid,
    reply_message_id    uuid,
    supersedes_turn_id  uuid,
    partial_text        text,
    error_code          text,
    model               text,
    usage               jsonb,
    revision_state      text        not null default 'none'
                                    check (revision_state::chat.revision_state is not null),
    revision            jsonb,
    started_at          timestamptz not null default now(),
    finished_at         timestamptz,
    reserved_tokens     integer     not null default 0,     -- of the user's tokens of the day, while it runs
    client_message_id   text,                               -- what the client calls the question
    recalled            jsonb,                              -- what its prompt was given: where it is from, never its text
    primary key (user_id, turn_id),
    unique (user_id, session_id, turn_key),
    foreign key (user_id, session_id) references chat.sessions (user_id, session_id) on delete cascade
);
create unique index turns_one_running on chat.turns (user_id, session_id) where state = 'running';
create index turns_unfinished on chat.turns (user_id, session_id) where state not in ('done', 'stopped');
create index turns_unrevised on chat.turns (user_id, session_id) where revision_state in ('queued', 'running', 'failed');

-- What a turn said, in numbered batches: the log that every follower reads.
create table chat.turn_events (
    user_id     uuid        not null default chat.uid(),
    turn_id     uuid        not null,
    seq_from    integer     not null,
    seq_to      integer     not null check (seq_to >= seq_from),
    events      jsonb       not null,
    created_at  timestamptz not null default now(),
    primary key (user_id, turn_id, seq_from),
    foreign key (user_id, turn_id) references chat.turns (user_id, turn_id) on delete cascade
);
create index turn_events_by_age on chat.turn_events using brin (created_at);

-- What a user's other tabs and devices hear about: ids, names and numbers, never what was said.
create table chat.user_events (
    user_id     uuid        not null default chat.uid(),
    seq         bigint      generated by default as identity,  -- the default: for servers of before revision 0005
    kind        text        not null check (kind::chat.event_kind is not null),
    data        jsonb       not null,
    created_at  timestamptz not null default now(),
    primary key (user_id, seq)
);
create index user_events_by_age on chat.user_events using brin (created_at);

-- The number of a user's last event. A sequence gives numbers that can appear in another order than theirs, and a
-- reader with a cursor would miss the later ones; this row is held until its transaction ends.
create table chat.user_event_heads (
    user_id     uuid        not null default chat.uid(),
    seq         bigint      not null,
    begun_at    timestamptz not null default clock_timestamp(),  -- an erasure takes the row: no later work began before one
    primary key (user_id)
);


-- Notes ---------------------------------------------------------------------------------------------

-- The Markdown page per user and agent that is always in the prompt.
create table public.agent_long_term_memory (
    id          uuid        not null default gen_random_uuid(),
    user_id     uuid        not null default chat.uid(),
    agent_name  text        not null,
    notes       text        not null default '' check (octet_length(notes) <= 65536),
    version     integer     not null default 1,
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now(),
    primary key (user_id, agent_name),
    unique (user_id, id)
);

-- Every state the page was in: who changed it, why, in which attempt of which turn.
create table chat.notes_versions (
    user_id         uuid        not null default chat.uid(),
    agent_name      text        not null,
    version         integer     not null,
    notes           text        not null,
    operation       text        not null,
    actor           text        not null check (actor in ('user', 'agent', 'system')),
    reason          text,
    turn_id         uuid,
    attempt         integer,
    untrusted_turn  boolean     not null default false,
    created_at      timestamptz not null default now(),
    primary key (user_id, agent_name, version),
    foreign key (user_id, agent_name) references public.agent_long_term_memory (user_id, agent_name) on delete cascade
);


-- Summaries and usage -------------------------------------------------------------------------------

-- The compressed head of a session: what was said up to and including the row covers_to.
create table chat.summaries (
    user_id     uuid        not null default chat.uid(),
    session_id  text        not null,
    summary     text        not null,
    covers_to   bigint      not null,
    tokens      integer     not null,
    model       text,
    updated_at  timestamptz not null default now(),
    messages    bigint      not null default 0,             -- how many it stands for
    primary key (user_id, session_id),
    foreign key (user_id, session_id) references chat.sessions (user_id, session_id) on delete cascade
);

-- Tokens that a user's turns took, by day in UTC.
create table chat.usage_daily (
    user_id        uuid    not null default chat.uid(),
    day            date    not null,
    agent_name     text    not null,
    model          text    not null,
    turns          integer not null default 0,
    input_tokens   bigint  not null default 0,
    output_tokens  bigint  not null default 0,
    revision_tokens bigint not null default 0,              -- of these: what models took after turns
    primary key (user_id, day, agent_name, model)
);

-- Whoever begins a turn holds its user's row: so the turns of one user are counted one after the other.
create table chat.user_limits (
    user_id   uuid          not null default chat.uid(),
    turns_at  timestamptz[] not null default '{}',          -- when those of the last minute began
    primary key (user_id)
);


-- Memory --------------------------------------------------------------------------------------------

-- The number of a user's last change to what is remembered. Whoever changes memories holds the row: so changes of one
-- user come one after the other, and whoever knows all up to a number asks only for what came later.
create table chat.memory_heads (
    user_id   uuid        not null default chat.uid(),
    seq       bigint      not null default 0,
    kept_seq  bigint      not null default 0,      -- up to which maintenance has looked after them; -1: something expires
    kept_at   timestamptz not null default now(),  -- and when
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
    origin         text        not null check (origin in ('rules', 'model', 'user', 'tool', 'import', 'mcp')),
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
create index memories_ended on chat.memories (user_id, shelf, digest) where valid_to is not null;
create index memories_ended_by_key on chat.memories (user_id, shelf, fact_key, valid_to) where valid_to is not null;
create index memories_replaced on chat.memories (user_id, superseded_by) where superseded_by is not null;

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


-- Knowledge -----------------------------------------------------------------------------------------

-- Documents that answers can be taken from, one for each name. State and error are about the last upload; what was
-- read before answers until it is ready. Those of the nil UUID are everybody's to read.
create table chat.articles (
    user_id       uuid        not null default chat.uid(),
    article_id    uuid        not null,
    name          text        not null check (name <> '' and octet_length(name) <= 1024),  -- never a path
    title         text        not null,
    media_type    text        not null,
    size_bytes    integer     not null,
    content_hash  text        not null,                     -- SHA-256 of the last upload
    version       integer     not null default 1,           -- the number of the last upload
    state         text        not null default 'waiting' check (state in ('waiting', 'reading', 'ready', 'failed')),
    error_code    text,
    error         text,
    pages         integer,
    tokens        integer     not null default 0,           -- of all chunks that answer now
    chunks        integer     not null default 0,           -- how many these are
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    read_version  integer     not null default 0,           -- the upload that the chunks are of; below 0: an import
    primary key (user_id, article_id),
    unique (user_id, name)
);

-- What was uploaded, in parts, until it is read.
create table chat.article_files (
    user_id     uuid     not null default chat.uid(),
    article_id  uuid     not null,
    part        integer  not null,
    bytes       bytea    not null,
    primary key (user_id, article_id, part),
    foreign key (user_id, article_id) references chat.articles (user_id, article_id) on delete cascade
);
alter table chat.article_files alter column bytes set storage external;  -- most files are compressed already

-- The text of an article, cut. In the order of their positions the texts are the article, nothing twice, nothing left
-- out. Words and vectors lie in the row as they are, since a search looks at those of every chunk; texts lie elsewhere.
-- tsv holds at most 4,000 bytes. No index on it, for the reason that message_index gives.
create table chat.article_chunks (
    user_id      uuid      not null default chat.uid(),
    article_id   uuid      not null,
    position     integer   not null,
    page         integer,                                   -- where it begins, from 1; null: there are none
    heading      text      not null default '',             -- the headings above it: Guide > Setup
    text         text      not null,
    tokens       integer   not null,
    tsv          tsvector  not null,
    embed_model  text,
    vec          halfvec,
    primary key (user_id, article_id, position),
    foreign key (user_id, article_id) references chat.articles (user_id, article_id) on delete cascade
);
alter table chat.article_chunks alter column tsv set storage plain, alter column vec set storage main;


-- Tokens ---------------------------------------------------------------------------------------------

-- Tokens that a user makes for clients which cannot sign in themselves: what is kept is a hash, never the secret.
create table chat.personal_tokens (
    user_id       uuid        not null default chat.uid(),
    token_id      uuid        not null,
    name          text        not null check (name <> '' and octet_length(name) <= 400),
    digest        bytea       not null,                     -- SHA-256 of 256 random bits
    scopes        text[]      not null check (scopes <@ array['chat', 'memory'] and cardinality(scopes) between 1 and 2),
    is_anonymous  boolean     not null default false,       -- whoever made it was
    created_at    timestamptz not null default now(),
    expires_at    timestamptz not null,
    last_used_at  timestamptz,                              -- to the hour
    primary key (user_id, token_id)
);


-- When everything of a user was erased, and how many rows that were: all that is kept of it.
create table chat.erasures (
    user_id    uuid        not null default chat.uid(),
    erased_at  timestamptz not null default clock_timestamp(),
    counts     jsonb       not null,
    primary key (user_id, erased_at)
);


-- Rights --------------------------------------------------------------------------------------------
-- Supabase grants everything in public to its API roles by default privileges: all of that is taken back.

revoke all on public.user_agent_active_sessions, public.chat_message_history, public.agent_long_term_memory,
    chat.sessions, chat.message_superseded, chat.message_index, chat.message_images, chat.turns,
    chat.turn_events, chat.user_events, chat.notes_versions from public, anon, authenticated;
revoke all on sequence public.chat_message_history_id_seq, chat.user_events_seq_seq from public, anon, authenticated;

do $service_role$
begin
    if exists (select from pg_roles where rolname = 'service_role') then
        revoke all on public.user_agent_active_sessions, public.chat_message_history,
            public.agent_long_term_memory from service_role;
        revoke all on sequence public.chat_message_history_id_seq from service_role;
    end if;
end
$service_role$;

grant select, insert, update, delete on public.user_agent_active_sessions, public.chat_message_history,
    public.agent_long_term_memory, chat.sessions, chat.message_index, chat.turns to chat_user;
grant select, insert, delete on chat.message_superseded, chat.message_images, chat.turn_events,
    chat.user_events, chat.notes_versions to chat_user;
grant select on public.user_agent_active_sessions, public.chat_message_history,
    public.agent_long_term_memory to authenticated;

alter table public.user_agent_active_sessions enable row level security, force row level security;
alter table public.chat_message_history enable row level security, force row level security;
alter table public.agent_long_term_memory enable row level security, force row level security;
alter table chat.sessions enable row level security, force row level security;
alter table chat.message_superseded enable row level security, force row level security;
alter table chat.message_index enable row level security, force row level security;
alter table chat.message_images enable row level security, force row level security;
alter table chat.turns enable row level security, force row level security;
alter table chat.turn_events enable row level security, force row level security;
alter table chat.user_events enable row level security, force row level security;
alter table chat.notes_versions enable row level security, force row level security;

create policy own_rows on public.user_agent_active_sessions to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());
create policy own_rows on public.chat_message_history to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());
create policy own_rows on public.agent_long_term_memory to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());
create policy own_rows on chat.sessions to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());
create policy own_rows on chat.message_superseded to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.message_index to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());
create policy own_rows on chat.message_images to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.turns to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());
create policy own_rows on chat.turn_events to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());
create policy own_rows on chat.user_events to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());
create policy own_rows on chat.notes_versions to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));

create policy read_own_rows on public.user_agent_active_sessions for select to authenticated
    using (user_id = (select chat.uid()));
create policy read_own_rows on public.chat_message_history for select to authenticated
    using (user_id = (select chat.uid()));
create policy read_own_rows on public.agent_long_term_memory for select to authenticated
    using (user_id = (select chat.uid()));


revoke all on chat.summaries, chat.usage_daily from public, anon, authenticated;
grant select, insert, update, delete on chat.summaries, chat.usage_daily to chat_user;
alter table chat.summaries enable row level security, force row level security;
alter table chat.usage_daily enable row level security, force row level security;
create policy own_rows on chat.summaries to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());
create policy own_rows on chat.usage_daily to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());

revoke all on chat.user_limits from public, anon, authenticated;
grant select, insert, update, delete on chat.user_limits to chat_user;
alter table chat.user_limits enable row level security, force row level security;
create policy own_rows on chat.user_limits to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());


revoke all on chat.memory_heads, chat.memories, chat.memory_changes, chat.embedding from public, anon, authenticated;
grant select, insert, update, delete on chat.memory_heads, chat.memories, chat.memory_changes, chat.embedding to chat_user;
alter table chat.memory_heads enable row level security, force row level security;
alter table chat.memories enable row level security, force row level security;
alter table chat.memory_changes enable row level security, force row level security;
alter table chat.embedding enable row level security, force row level security;
create policy own_rows on chat.memory_heads to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());
create policy own_rows on chat.memories to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.memory_changes to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.embedding to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));

revoke all on chat.articles, chat.article_files, chat.article_chunks from public, anon, authenticated;
grant select, insert, update, delete on chat.articles, chat.article_files, chat.article_chunks to chat_user;
alter table chat.articles enable row level security, force row level security;
alter table chat.article_files enable row level security, force row level security;
alter table chat.article_chunks enable row level security, force row level security;
create policy own_rows on chat.articles to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.article_files to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.article_chunks to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy shared_rows on chat.articles for select to chat_user
    using (user_id = '00000000-0000-0000-0000-000000000000');
create policy shared_rows on chat.article_chunks for select to chat_user
    using (user_id = '00000000-0000-0000-0000-000000000000');

revoke all on chat.erasures from public, anon, authenticated;
grant select, insert on chat.erasures to chat_user;
alter table chat.erasures enable row level security, force row level security;
create policy own_rows on chat.erasures to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());

-- Whether work that began so long before this transaction may still write for its user; it raises when everything of
-- his was erased since. It is asked when the user's event head is held, as an erasure holds it: one of them is first.
create function chat.in_time(waited_s double precision) returns boolean
    language plpgsql
as $$
begin
    if exists (select from chat.erasures
               where user_id = (select chat.uid()) and erased_at >= now() - make_interval(secs => waited_s)
                   and erased_at < clock_timestamp() + interval '1 second') then
        raise exception sqlstate 'CH410' using message = 'it began before the erasure of what was the user''s';
    end if;
    return true;
end
$$;

revoke all on function chat.in_time(double precision) from public;
grant execute on function chat.in_time(double precision) to chat_user;

-- For an attempt at a turn that ends: it raises when the turn no longer was this attempt's to end.
create function chat.still_counts(is_so boolean) returns boolean
    language plpgsql
as $$
begin
    if not is_so then
        raise exception sqlstate 'CH409' using message = 'the turn was taken over, or is gone';
    end if;
    return true;
end
$$;

revoke all on function chat.still_counts(boolean) from public;
grant execute on function chat.still_counts(boolean) to chat_user;


revoke all on chat.personal_tokens from public, anon, authenticated;
grant select, insert, update, delete on chat.personal_tokens to chat_user;
alter table chat.personal_tokens enable row level security, force row level security;
create policy own_rows on chat.personal_tokens to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));


-- The job queue --------------------------------------------------------------------------------------
-- The schema of procrastinate 3.10 in a schema of its own, as the package brings it (MIT licence, see NOTICE): its
-- keys and triggers are its own. It is local and plain, nobody's rows: job arguments are ids. Its functions name its
-- tables without the schema, so whoever calls them has search_path = procrastinate.

create schema procrastinate;
set local search_path = procrastinate;

-- Enums

CREATE TYPE procrastinate_job_status AS ENUM (
    'todo',  -- The job is queued
    'doing',  -- The job has been fetched by a worker
    'succeeded',  -- The job ended successfully
    'failed',  -- The job ended with an error
    'cancelled', -- The job was cancelled
    'aborting',  -- legacy, not used anymore since v3.0.0
    'aborted'  -- The job was aborted
);

CREATE TYPE procrastinate_job_event_type AS ENUM (
    'deferred',  -- Job created, in todo
    'started',  -- todo -> doing
    'deferred_for_retry',  -- doing -> todo
    'failed',  -- doing -> failed
    'succeeded',  -- doing -> succeeded
    'cancelled', -- todo -> cancelled
    'abort_requested', -- not a state transition, but set in a separate field
    'aborted', -- doing -> aborted (only allowed when abort_requested field is set)
    'scheduled', -- not a state transition, but recording when a task is scheduled for
    'retried' -- Manually retried failed job
);

-- Composite Types

CREATE TYPE procrastinate_job_to_defer_v1 AS (
    queue_name character varying,
    task_name character varying,
    priority integer,
    lock text,
    queueing_lock text,
    args jsonb,
    scheduled_at timestamp with time zone
);

-- Tables

CREATE TABLE procrastinate_workers(
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    last_heartbeat timestamp with time zone NOT NULL DEFAULT NOW()
);

CREATE TABLE procrastinate_jobs (
    id bigserial PRIMARY KEY,
    queue_name character varying(128) NOT NULL,
    task_name character varying(128) NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    lock text,
    queueing_lock text,
    args jsonb DEFAULT '{}' NOT NULL,
    status procrastinate_job_status DEFAULT 'todo'::procrastinate_job_status NOT NULL,
    scheduled_at timestamp with time zone NULL,
    attempts integer DEFAULT 0 NOT NULL,
    abort_requested boolean DEFAULT false NOT NULL,
    worker_id bigint REFERENCES procrastinate_workers(id) ON DELETE SET NULL,
    CONSTRAINT check_not_todo_abort_requested CHECK (NOT (status = 'todo' AND abort_requested = true))
);

CREATE TABLE procrastinate_periodic_defers (
    id bigserial PRIMARY KEY,
    task_name character varying(128) NOT NULL,
    defer_timestamp bigint,
    job_id bigint REFERENCES procrastinate_jobs(id) NULL,
    periodic_id character varying(128) NOT NULL DEFAULT '',
    CONSTRAINT procrastinate_periodic_defers_unique UNIQUE (task_name, periodic_id, defer_timestamp)
);

CREATE TABLE procrastinate_events (
    id bigserial PRIMARY KEY,
    job_id bigint NOT NULL REFERENCES procrastinate_jobs ON DELETE CASCADE,
    type procrastinate_job_event_type,
    at timestamp with time zone DEFAULT NOW() NULL
);

-- Constraints & Indices

-- this prevents from having several jobs with the same queueing lock in the "todo" state
CREATE UNIQUE INDEX procrastinate_jobs_queueing_lock_idx_v1 ON procrastinate_jobs (queueing_lock) WHERE status = 'todo';
-- this prevents from having several jobs with the same lock in the "doing" state
CREATE UNIQUE INDEX procrastinate_jobs_lock_idx_v1 ON procrastinate_jobs (lock) WHERE status = 'doing';

-- Index for select_stalled_jobs_by_heartbeat query
CREATE INDEX idx_procrastinate_jobs_worker_not_null ON procrastinate_jobs(worker_id) WHERE worker_id IS NOT NULL AND status = 'doing'::procrastinate_job_status;

CREATE INDEX procrastinate_jobs_queue_name_idx_v1 ON procrastinate_jobs(queue_name);
CREATE INDEX procrastinate_jobs_id_lock_idx_v1 ON procrastinate_jobs (id, lock) WHERE status = ANY (ARRAY['todo'::procrastinate_job_status, 'doing'::procrastinate_job_status]);
CREATE INDEX procrastinate_jobs_priority_idx_v1 ON procrastinate_jobs(priority desc, id asc) WHERE (status = 'todo'::procrastinate_job_status);

CREATE INDEX procrastinate_events_job_id_fkey_v1 ON procrastinate_events(job_id);

CREATE INDEX procrastinate_periodic_defers_job_id_fkey_v1 ON procrastinate_periodic_defers(job_id);

CREATE INDEX idx_procrastinate_workers_last_heartbeat ON procrastinate_workers(last_heartbeat);

-- Functions
CREATE FUNCTION procrastinate_defer_jobs_v1(
    jobs procrastinate_job_to_defer_v1[]
)
    RETURNS bigint[]
    LANGUAGE plpgsql
AS $$
DECLARE
    job_ids bigint[];
BEGIN
    WITH inserted_jobs AS (
        INSERT INTO procrastinate_jobs (queue_name, task_name, priority, lock, queueing_lock, args, scheduled_at)
        SELECT (job).queue_name,
               (job).task_name,
               (job).priority,
               (job).lock,
               (job).queueing_lock,
               (job).args,
               (job).scheduled_at
        FROM unnest(jobs) AS job
        RETURNING id
    )
    SELECT array_agg(id) FROM inserted_jobs INTO job_ids;

    RETURN job_ids;
END;
$$;

CREATE FUNCTION procrastinate_defer_periodic_job_v2(
    _queue_name character varying,
    _lock character varying,
    _queueing_lock character varying,
    _task_name character varying,
    _priority integer,
    _periodic_id character varying,
    _defer_timestamp bigint,
    _args jsonb
)
    RETURNS bigint
    LANGUAGE plpgsql
AS $$
DECLARE
	_job_id bigint;
	_defer_id bigint;
BEGIN
    INSERT
        INTO procrastinate_periodic_defers (task_name, periodic_id, defer_timestamp)
        VALUES (_task_name, _periodic_id, _defer_timestamp)
        ON CONFLICT DO NOTHING
        RETURNING id into _defer_id;

    IF _defer_id IS NULL THEN
        RETURN NULL;
    END IF;

    UPDATE procrastinate_periodic_defers
        SET job_id = (
            SELECT COALESCE((
                SELECT unnest(procrastinate_defer_jobs_v1(
                    ARRAY[
                        ROW(
                            _queue_name,
                            _task_name,
                            _priority,
                            _lock,
                            _queueing_lock,
                            _args,
                            NULL::timestamptz
                        )
                    ]::procrastinate_job_to_defer_v1[]
                ))
            ), NULL)
        )
        WHERE id = _defer_id
        RETURNING job_id INTO _job_id;

    DELETE
        FROM procrastinate_periodic_defers
        USING (
            SELECT id
            FROM procrastinate_periodic_defers
            WHERE procrastinate_periodic_defers.task_name = _task_name
            AND procrastinate_periodic_defers.periodic_id = _periodic_id
            AND procrastinate_periodic_defers.defer_timestamp < _defer_timestamp
            ORDER BY id
            FOR UPDATE
        ) to_delete
        WHERE procrastinate_periodic_defers.id = to_delete.id;

    RETURN _job_id;
END;
$$;

CREATE FUNCTION procrastinate_fetch_job_v2(
    target_queue_names character varying[],
    p_worker_id bigint
)
    RETURNS procrastinate_jobs
    LANGUAGE plpgsql
AS $$
DECLARE
	found_jobs procrastinate_jobs;
BEGIN
    WITH candidate AS (
        SELECT jobs.*
            FROM procrastinate_jobs AS jobs
            WHERE
                -- reject the job if its lock has earlier or higher priority jobs
                NOT EXISTS (
                    SELECT 1
                        FROM procrastinate_jobs AS other_jobs
                        WHERE
                            jobs.lock IS NOT NULL
                            AND other_jobs.lock = jobs.lock
                            AND (
                                -- job with same lock is already running
                                other_jobs.status = 'doing'
                                OR
                                -- job with same lock is waiting and has higher priority (or same priority but was queued first)
                                (
                                    other_jobs.status = 'todo'
                                    AND (
                                        other_jobs.priority > jobs.priority
                                        OR (
                                        other_jobs.priority = jobs.priority
                                        AND other_jobs.id < jobs.id
                                        )
                                    )
                                )
                            )
                )
                AND jobs.status = 'todo'
                AND (target_queue_names IS NULL OR jobs.queue_name = ANY( target_queue_names ))
                AND (jobs.scheduled_at IS NULL OR jobs.scheduled_at <= now())
            ORDER BY jobs.priority DESC, jobs.id ASC LIMIT 1
            FOR UPDATE OF jobs SKIP LOCKED
    )
    UPDATE procrastinate_jobs
        SET status = 'doing', worker_id = p_worker_id
        FROM candidate
        WHERE procrastinate_jobs.id = candidate.id
        RETURNING procrastinate_jobs.* INTO found_jobs;

 RETURN found_jobs;
END;
$$;

CREATE FUNCTION procrastinate_finish_job_v1(job_id bigint, end_status procrastinate_job_status, delete_job boolean)
    RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    _job_id bigint;
BEGIN
    IF end_status NOT IN ('succeeded', 'failed', 'aborted') THEN
        RAISE 'End status should be either "succeeded", "failed" or "aborted" (job id: %)', job_id;
    END IF;
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = end_status,
            abort_requested = false,
            attempts = CASE status
                WHEN 'doing' THEN attempts + 1 ELSE attempts
            END
        WHERE id = job_id AND status IN ('todo', 'doing')
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" or "todo" status (job id: %)', job_id;
    END IF;
END;
$$;

CREATE FUNCTION procrastinate_cancel_job_v1(job_id bigint, abort boolean, delete_job boolean)
    RETURNS bigint
    LANGUAGE plpgsql
AS $$
DECLARE
    _job_id bigint;
BEGIN
    IF delete_job THEN
        DELETE FROM procrastinate_jobs
        WHERE id = job_id AND status = 'todo'
        RETURNING id INTO _job_id;
    END IF;
    IF _job_id IS NULL THEN
        IF abort THEN
            UPDATE procrastinate_jobs
            SET abort_requested = true,
                status = CASE status
                    WHEN 'todo' THEN 'cancelled'::procrastinate_job_status ELSE status
                END
            WHERE id = job_id AND status IN ('todo', 'doing')
            RETURNING id INTO _job_id;
        ELSE
            UPDATE procrastinate_jobs
            SET status = 'cancelled'::procrastinate_job_status
            WHERE id = job_id AND status = 'todo'
            RETURNING id INTO _job_id;
        END IF;
    END IF;
    RETURN _job_id;
END;
$$;

CREATE FUNCTION procrastinate_retry_job_v1(
    job_id bigint,
    retry_at timestamp with time zone,
    new_priority integer,
    new_queue_name character varying,
    new_lock character varying
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
BEGIN
    SELECT abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status = 'doing'
    FOR UPDATE
    INTO _abort_requested;
    IF _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    END IF;

    IF _job_id IS NULL THEN
        RAISE 'Job was not found or not in "doing" status (job id: %)', job_id;
    END IF;
END;
$$;

CREATE FUNCTION procrastinate_retry_job_v2(
    job_id bigint,
    retry_at timestamp with time zone,
    new_priority integer,
    new_queue_name character varying,
    new_lock character varying
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    _job_id bigint;
    _abort_requested boolean;
    _current_status procrastinate_job_status;
BEGIN
    SELECT status, abort_requested FROM procrastinate_jobs
    WHERE id = job_id AND status IN ('doing', 'failed')
    FOR UPDATE
    INTO _current_status, _abort_requested;
    IF _current_status = 'doing' AND _abort_requested THEN
        UPDATE procrastinate_jobs
        SET status = 'failed'::procrastinate_job_status
        WHERE id = job_id AND status = 'doing'
        RETURNING id INTO _job_id;
    ELSE
        UPDATE procrastinate_jobs
        SET status = 'todo'::procrastinate_job_status,
            attempts = attempts + 1,
            scheduled_at = retry_at,
            priority = COALESCE(new_priority, priority),
            queue_name = COALESCE(new_queue_name, queue_name),
            lock = COALESCE(new_lock, lock)
        WHERE id = job_id AND status IN ('doing', 'failed')
        RETURNING id INTO _job_id;
    END IF;

    IF _job_id IS NULL THEN
        RAISE 'Job was not found or has an invalid status to retry (job id: %)', job_id;
    END IF;

END;
$$;

CREATE FUNCTION procrastinate_notify_queue_job_inserted_v1()
    RETURNS trigger
    LANGUAGE plpgsql
AS $$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'job_inserted', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$$;

CREATE FUNCTION procrastinate_notify_queue_abort_job_v1()
RETURNS trigger
    LANGUAGE plpgsql
AS $$
DECLARE
    payload TEXT;
BEGIN
    SELECT json_build_object('type', 'abort_job_requested', 'job_id', NEW.id)::text INTO payload;
	PERFORM pg_notify('procrastinate_queue_v1#' || NEW.queue_name, payload);
	PERFORM pg_notify('procrastinate_any_queue_v1', payload);
	RETURN NEW;
END;
$$;

CREATE FUNCTION procrastinate_trigger_function_status_events_insert_v1()
    RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'deferred'::procrastinate_job_event_type);
	RETURN NEW;
END;
$$;

CREATE FUNCTION procrastinate_trigger_function_status_events_update_v1()
    RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    WITH t AS (
        SELECT CASE
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND NEW.status = 'doing'::procrastinate_job_status
                THEN 'started'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'deferred_for_retry'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'failed'::procrastinate_job_status
                THEN 'failed'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'succeeded'::procrastinate_job_status
                THEN 'succeeded'::procrastinate_job_event_type
            WHEN OLD.status = 'todo'::procrastinate_job_status
                AND (
                    NEW.status = 'cancelled'::procrastinate_job_status
                    OR NEW.status = 'failed'::procrastinate_job_status
                    OR NEW.status = 'succeeded'::procrastinate_job_status
                )
                THEN 'cancelled'::procrastinate_job_event_type
            WHEN OLD.status = 'doing'::procrastinate_job_status
                AND NEW.status = 'aborted'::procrastinate_job_status
                THEN 'aborted'::procrastinate_job_event_type
            WHEN OLD.status = 'failed'::procrastinate_job_status
                AND NEW.status = 'todo'::procrastinate_job_status
                THEN 'retried'::procrastinate_job_event_type
            ELSE NULL
        END as event_type
    )
    INSERT INTO procrastinate_events(job_id, type)
        SELECT NEW.id, t.event_type
        FROM t
        WHERE t.event_type IS NOT NULL;
	RETURN NEW;
END;
$$;

CREATE FUNCTION procrastinate_trigger_function_scheduled_events_v1()
    RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type, at)
        VALUES (NEW.id, 'scheduled'::procrastinate_job_event_type, NEW.scheduled_at);

	RETURN NEW;
END;
$$;

CREATE FUNCTION procrastinate_trigger_abort_requested_events_procedure_v1()
    RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    INSERT INTO procrastinate_events(job_id, type)
        VALUES (NEW.id, 'abort_requested'::procrastinate_job_event_type);
    RETURN NEW;
END;
$$;

CREATE FUNCTION procrastinate_unlink_periodic_defers_v1()
    RETURNS trigger
    LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE procrastinate_periodic_defers
    SET job_id = NULL
    WHERE job_id = OLD.id;
    RETURN OLD;
END;
$$;

CREATE FUNCTION procrastinate_register_worker_v1()
    RETURNS TABLE(worker_id bigint)
    LANGUAGE plpgsql
AS $$
BEGIN
    RETURN QUERY
    INSERT INTO procrastinate_workers DEFAULT VALUES
    RETURNING procrastinate_workers.id;
END;
$$;

CREATE FUNCTION procrastinate_unregister_worker_v1(worker_id bigint)
    RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    DELETE FROM procrastinate_workers
    WHERE id = worker_id;
END;
$$;

CREATE FUNCTION procrastinate_update_heartbeat_v1(worker_id bigint)
    RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    UPDATE procrastinate_workers
    SET last_heartbeat = NOW()
    WHERE id = worker_id;
END;
$$;

CREATE FUNCTION procrastinate_prune_stalled_workers_v1(seconds_since_heartbeat float)
    RETURNS TABLE(worker_id bigint)
    LANGUAGE plpgsql
AS $$
BEGIN
    RETURN QUERY
    DELETE FROM procrastinate_workers
    WHERE last_heartbeat < NOW() - (seconds_since_heartbeat || 'SECOND')::INTERVAL
    RETURNING procrastinate_workers.id;
END;
$$;

-- Triggers

CREATE TRIGGER procrastinate_jobs_notify_queue_job_inserted_v1
    AFTER INSERT ON procrastinate_jobs
    FOR EACH ROW WHEN ((new.status = 'todo'::procrastinate_job_status))
    EXECUTE PROCEDURE procrastinate_notify_queue_job_inserted_v1();

CREATE TRIGGER procrastinate_jobs_notify_queue_job_aborted_v1
    AFTER UPDATE OF abort_requested ON procrastinate_jobs
    FOR EACH ROW WHEN ((old.abort_requested = false AND new.abort_requested = true AND new.status = 'doing'::procrastinate_job_status))
    EXECUTE PROCEDURE procrastinate_notify_queue_abort_job_v1();

CREATE TRIGGER procrastinate_trigger_status_events_update_v1
    AFTER UPDATE OF status ON procrastinate_jobs
    FOR EACH ROW
    EXECUTE PROCEDURE procrastinate_trigger_function_status_events_update_v1();

CREATE TRIGGER procrastinate_trigger_status_events_insert_v1
    AFTER INSERT ON procrastinate_jobs
    FOR EACH ROW WHEN ((new.status = 'todo'::procrastinate_job_status))
    EXECUTE PROCEDURE procrastinate_trigger_function_status_events_insert_v1();

CREATE TRIGGER procrastinate_trigger_scheduled_events_v1
    AFTER UPDATE OR INSERT ON procrastinate_jobs
    FOR EACH ROW WHEN ((new.scheduled_at IS NOT NULL AND new.status = 'todo'::procrastinate_job_status))
    EXECUTE PROCEDURE procrastinate_trigger_function_scheduled_events_v1();

CREATE TRIGGER procrastinate_trigger_abort_requested_events_v1
    AFTER UPDATE OF abort_requested ON procrastinate_jobs
    FOR EACH ROW WHEN ((new.abort_requested = true))
    EXECUTE PROCEDURE procrastinate_trigger_abort_requested_events_procedure_v1();

CREATE TRIGGER procrastinate_trigger_delete_jobs_v1
    BEFORE DELETE ON procrastinate_jobs
    FOR EACH ROW EXECUTE PROCEDURE procrastinate_unlink_periodic_defers_v1();

-- It would NOTIFY inside the reply's transaction, and all commits that notify wait for one lock. Workers poll.
alter table procrastinate_jobs disable trigger procrastinate_jobs_notify_queue_job_inserted_v1;

-- Along the index of priorities, however many wait. The queue is analysed when it is empty, and by a plan of then every
-- job of 5,000 took 2 s to fetch, and of 20,000 half a minute, which is never: it is cut off at 10.
alter function procrastinate_fetch_job_v2(character varying[], bigint)
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_sort = off
    set enable_hashjoin = off
    set enable_mergejoin = off;

revoke all on schema procrastinate from public;
revoke all on all tables in schema procrastinate from public;
revoke all on all sequences in schema procrastinate from public;
revoke all on all functions in schema procrastinate from public;
grant usage on schema procrastinate to chat_jobs;
grant select, insert, update, delete on all tables in schema procrastinate to chat_jobs;
grant usage on all sequences in schema procrastinate to chat_jobs;
grant execute on all functions in schema procrastinate to chat_jobs;

set local search_path = public, extensions;

-- How a user, who may touch nothing of the queue, leaves the after-work of a turn: in his own name alone, since the
-- user is read and not given. The lock keeps the jobs of one session in their order, one at a time.
create function chat.enqueue_after_turn(session_id uuid, turn_id uuid, delay_s integer default 0) returns void
    language plpgsql
    security definer
    set search_path = procrastinate, pg_temp
as $$
declare
    whose constant uuid := chat.uid();
begin
    if whose is null then
        raise insufficient_privilege using message = 'nobody has no after-work';
    end if;
    insert into procrastinate_jobs (queue_name, task_name, lock, args, scheduled_at)
    values ('chat', 'after_turn', whose || ':' || session_id,
            jsonb_build_object('user_id', whose, 'turn_id', turn_id),
            case when delay_s > 0 then now() + make_interval(secs => delay_s) end);
end
$$;

-- The same of what the job that waits already would do, too: one of them for all. The row that waits is held until our COMMIT,
-- so its worker sees what we have written; one that a worker has just taken may have looked already.
create function chat.enqueue_unless_waiting(session_id uuid, turn_id uuid) returns void
    language plpgsql
    security definer
    set search_path = procrastinate, pg_temp
as $$
begin
    perform from procrastinate_jobs j
    where j.lock = chat.uid() || ':' || session_id and j.args ->> 'turn_id' = enqueue_unless_waiting.turn_id::text
        and j.status = 'todo' and (j.scheduled_at is null or j.scheduled_at <= now())
    limit 1
    for share skip locked;
    if not found then
        perform chat.enqueue_after_turn(session_id, turn_id);
    end if;
end
$$;

-- How long the queue is, for whoever asks whether the server is well: numbers, and of nobody. A job that waits for
-- its hour is not late; but a turn that is not revised yet is, also when its job is tried again.
create function chat.queue_status(
    out waiting bigint, out oldest_s double precision, out failed bigint, out revision_s double precision)
    language sql
    security definer
    set search_path = procrastinate, pg_temp
as $$
    select (select count(*) from procrastinate_jobs where status = 'todo'),
        coalesce((
            select extract(epoch from clock_timestamp() - coalesce(first.scheduled_at, (
                select min(e.at) from procrastinate_events e where e.job_id = first.id and e.type = 'deferred')))
            from (select j.id, j.scheduled_at from procrastinate_jobs j
                  where j.status = 'todo' and (j.scheduled_at is null or j.scheduled_at <= now())
                  order by j.priority desc, j.id limit 1) first), 0),
        (select count(*) from procrastinate_jobs where status = 'failed'),
        coalesce((
            select extract(epoch from clock_timestamp() - (
                select min(e.at) from procrastinate_events e where e.job_id = first.id and e.type = 'deferred'))
            from (select j.id from procrastinate_jobs j
                  where j.status in ('todo', 'doing') and j.task_name = 'after_turn'
                      and (j.attempts > 0 or j.scheduled_at is null or j.scheduled_at <= now())
                  order by j.id limit 1) first), 0)
$$;

-- How a user takes his own jobs out again, when all that is his is erased. Those that run go by themselves when they
-- end: they find nothing to do.
create function chat.forget_jobs() returns bigint
    language sql
    security definer
    set search_path = procrastinate, pg_temp
as $$
    with gone as (
        delete from procrastinate_jobs
        where args ->> 'user_id' = chat.uid()::text and status <> 'doing'
        returning id)
    select count(*) from gone
$$;

revoke all on function chat.enqueue_after_turn(uuid, uuid, integer), chat.queue_status(), chat.forget_jobs() from public;
grant execute on function chat.enqueue_after_turn(uuid, uuid, integer), chat.queue_status(), chat.forget_jobs() to chat_user;
revoke all on function chat.enqueue_unless_waiting(uuid, uuid) from public;
grant execute on function chat.enqueue_unless_waiting(uuid, uuid) to chat_user;

-- How a user leaves the reading of what he has uploaded: one of his articles after the other, and users take turns. The
-- place of a file is the second in which it came, or a minute behind the last of its user that waits: so whoever comes
-- with one is before most of anybody's many; and as nobody comes before his time, each is the first one day.
create function chat.enqueue_ingest(article_id uuid, delay_s integer default 0) returns void
    language plpgsql
    security definer
    set search_path = procrastinate, pg_temp
as $$
declare
    whose constant text := chat.uid() || ':articles';
    came constant integer := extract(epoch from now() - timestamptz '2026-01-01 00:00+00');
begin
    if chat.uid() is null then
        raise insufficient_privilege using message = 'nobody has no articles';
    end if;
    insert into procrastinate_jobs (queue_name, task_name, priority, lock, args, scheduled_at)
    values ('files', 'ingest',
            least(-came, (select min(j.priority) - 60 from procrastinate_jobs j
                          where j.queue_name = 'files' and j.lock = whose and j.status in ('todo', 'doing'))),
            whose, jsonb_build_object('user_id', chat.uid(), 'article_id', article_id),
            case when delay_s > 0 then now() + make_interval(secs => delay_s) end);
end
$$;
revoke all on function chat.enqueue_ingest(uuid, integer) from public;
grant execute on function chat.enqueue_ingest(uuid, integer) to chat_user;

-- Who deletes an article takes its reading out of the queue, but while it runs: then it finds nothing.
create function chat.forget_ingest(article_id uuid) returns void
    language sql
    security definer
    set search_path = procrastinate, pg_temp
as $$
    delete from procrastinate_jobs
    where lock like chat.uid() || ':articles%' and args ->> 'article_id' = article_id::text and status = 'todo'
$$;
revoke all on function chat.forget_ingest(uuid) from public;
grant execute on function chat.forget_ingest(uuid) to chat_user;


-- Whoever works off the queue finds what has expired: whose it is and when it was, never what it says.
grant usage on schema chat to chat_jobs;
grant select (user_id, turn_id, created_at) on chat.turn_events to chat_jobs;
grant select (user_id, created_at) on chat.user_events to chat_jobs;
create policy ids_and_times on chat.turn_events for select to chat_jobs using (true);
create policy ids_and_times on chat.user_events for select to chat_jobs using (true);


revoke all on chat.user_event_heads from public, anon, authenticated;
grant select, insert, update, delete on chat.user_event_heads to chat_user;
grant update (data) on chat.user_events to chat_user;  -- the title of a session that is deleted
grant update (events) on chat.turn_events to chat_user;  -- how the revision of a turn that has ended went
alter table chat.user_event_heads enable row level security, force row level security;
create policy own_rows on chat.user_event_heads to chat_user
    using (user_id = chat.uid()) with check (user_id = chat.uid());

-- A server asks once for all users who listen whether anything has come: numbers, as whoever works off the queue.
grant select (user_id, seq) on chat.user_event_heads to chat_jobs;
create policy ids_and_numbers on chat.user_event_heads for select to chat_jobs using (true);


-- Who has anything to embed, and who has memories to maintain: ids, numbers and times.
grant select (user_id) on chat.message_index to chat_jobs;
grant select (user_id) on chat.memories to chat_jobs;
create policy ids_and_models on chat.message_index for select to chat_jobs using (true);
create policy ids_and_times on chat.memories for select to chat_jobs using (true);
grant select (user_id, seq, kept_seq, kept_at) on chat.memory_heads to chat_jobs;
create policy ids_and_numbers on chat.memory_heads for select to chat_jobs using (true);

-- And who has articles, to embed them.
grant select (user_id) on chat.articles to chat_jobs;
create policy ids_and_models on chat.articles for select to chat_jobs using (true);


-- How much is one user's ----------------------------------------------------------------------------
-- A statement that is prepared is planned once for all users, by what one has on the average. Where many have said
-- little, that is nothing, and by such plans a page of a history, or what is known of its turns, was found by looking
-- at all that its user ever said: 100,000 rows for 20. So, for plans, everybody has a two-hundredth of a table.

alter table chat.sessions alter column user_id set (n_distinct = 200);
alter table public.chat_message_history alter column user_id set (n_distinct = 200);
alter table chat.message_superseded alter column user_id set (n_distinct = 200);
alter table chat.message_index alter column user_id set (n_distinct = 200);
alter table chat.message_images alter column user_id set (n_distinct = 200);
alter table chat.turns alter column user_id set (n_distinct = 200);
alter table chat.turn_events alter column user_id set (n_distinct = 200);
alter table chat.user_events alter column user_id set (n_distinct = 200);
alter table chat.notes_versions alter column user_id set (n_distinct = 200);
alter table chat.summaries alter column user_id set (n_distinct = 200);
alter table chat.usage_daily alter column user_id set (n_distinct = 200);
alter table chat.memories alter column user_id set (n_distinct = 200);
alter table chat.memory_changes alter column user_id set (n_distinct = 200);
alter table chat.articles alter column user_id set (n_distinct = 200);
alter table chat.article_chunks alter column user_id set (n_distinct = 200);


-- Which revision this is ----------------------------------------------------------------------------

create table if not exists chat.alembic_version (
    version_num varchar(32) not null,
    constraint alembic_version_pkc primary key (version_num)
);
grant select on chat.alembic_version to chat_user;
insert into chat.alembic_version (version_num) values ('0027');
