-- The whole schema, top to bottom. Always equal to `alembic upgrade head`; tests/migration proves it.
-- Apply to an empty database with: psql --single-transaction -v ON_ERROR_STOP=1 -f ddl.sql
--
-- Rules that let the same schema run on one Postgres and, distributed by user_id, on many:
-- user_id leads every primary and unique key, foreign keys are on (user_id, x), no triggers,
-- every row belongs to a user, and every policy compares user_id with (select chat.uid()).

set local lock_timeout = '5s';
set local search_path = public, extensions;


-- Roles -------------------------------------------------------------------------------------------
-- chat_app logs in and may do nothing by itself; chat_user is what it becomes for one transaction;
-- chat_jobs will own nothing but the job queue. anon and authenticated are Supabase's: made here only
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

-- The user of this transaction: the claim that Supabase's auth.uid() reads too. Null means nobody.
create function chat.uid() returns uuid
    stable parallel safe
    return (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid;

revoke all on function chat.uid() from public;
grant execute on function chat.uid() to chat_user, authenticated;


-- Sessions ------------------------------------------------------------------------------------------

-- Every thread of a user with an agent, past ones too.
create table chat.sessions (
    user_id         uuid        not null default chat.uid(),
    session_id      text        not null check (session_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'),
    agent_name      text        not null,
    external_id     text,                                   -- the client's own name for it, when not a UUID
    title           text,
    memory          text        not null default 'on' check (memory in ('on', 'off')),
    created_at      timestamptz not null default now(),
    last_active_at  timestamptz not null default now(),
    archived_at     timestamptz,
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
    vec          halfvec,
    primary key (user_id, message_id)
);
create index message_index_by_session on chat.message_index (user_id, session_id);

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
    trigger             text        not null default 'submit' check (trigger in ('submit', 'edit', 'regenerate')),
    request_hash        bytea,
    state               text        not null default 'running'
                                    check (state in ('running', 'done', 'failed', 'stopped', 'interrupted')),
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
                                    check (revision_state in ('none', 'queued', 'running', 'done', 'failed')),
    revision            jsonb,
    started_at          timestamptz not null default now(),
    finished_at         timestamptz,
    primary key (user_id, turn_id),
    unique (user_id, session_id, turn_key),
    foreign key (user_id, session_id) references chat.sessions (user_id, session_id) on delete cascade
);
create unique index turns_one_running on chat.turns (user_id, session_id) where state = 'running';

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

-- What a user's other tabs and devices hear about.
create table chat.user_events (
    user_id     uuid        not null default chat.uid(),
    seq         bigint      generated always as identity,
    kind        text        not null check (kind in ('session', 'title', 'turn', 'memory', 'knowledge')),
    data        jsonb       not null,
    created_at  timestamptz not null default now(),
    primary key (user_id, seq)
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
    primary key (user_id, day, agent_name, model)
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
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on public.chat_message_history to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on public.agent_long_term_memory to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.sessions to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.message_superseded to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.message_index to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.message_images to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.turns to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.turn_events to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.user_events to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
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
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.usage_daily to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));


-- Which revision this is ----------------------------------------------------------------------------

create table if not exists chat.alembic_version (
    version_num varchar(32) not null,
    constraint alembic_version_pkc primary key (version_num)
);
grant select on chat.alembic_version to chat_user;
insert into chat.alembic_version (version_num) values ('0002');
