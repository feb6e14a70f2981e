-- 0006: limits of users.

set local lock_timeout = '5s';

-- What a turn that runs may take of its user's tokens of the day; once it has ended, what it took counts instead.
alter table chat.turns add column reserved_tokens integer not null default 0;

-- Whoever begins a turn holds its user's row: so the turns of one user are counted one after the other.
create table chat.user_limits (
    user_id   uuid          not null default chat.uid(),
    turns_at  timestamptz[] not null default '{}',          -- when those of the last minute began
    primary key (user_id)
);

revoke all on chat.user_limits from public, anon, authenticated;
grant select, insert, update, delete on chat.user_limits to chat_user;
alter table chat.user_limits enable row level security, force row level security;
create policy own_rows on chat.user_limits to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
