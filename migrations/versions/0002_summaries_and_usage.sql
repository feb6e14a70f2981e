-- 0002: summaries of sessions, and usage by day.

set local lock_timeout = '5s';
set local search_path = public, extensions;

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

revoke all on chat.summaries, chat.usage_daily from public, anon, authenticated;
grant select, insert, update, delete on chat.summaries, chat.usage_daily to chat_user;
alter table chat.summaries enable row level security, force row level security;
alter table chat.usage_daily enable row level security, force row level security;
create policy own_rows on chat.summaries to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.usage_daily to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
