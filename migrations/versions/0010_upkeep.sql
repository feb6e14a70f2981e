-- 0010: whose memories were looked after, and when; who has some to be looked after is found by numbers and times alone.

set local lock_timeout = '5s';

alter table chat.memory_heads
    add column kept_seq bigint not null default 0,
    add column kept_at timestamptz not null default now();

grant select (user_id, seq, kept_seq, kept_at) on chat.memory_heads to chat_jobs;
create policy ids_and_numbers on chat.memory_heads for select to chat_jobs using (true);
