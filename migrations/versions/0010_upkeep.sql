-- 0010: whose memories were looked after, and when; who has some to be looked after is found by numbers and times alone.

set local lock_timeout = '5s';

alter table chat.memory_heads
    add column kept_seq bigint not null default 0,
    add column kept_at timestamptz not null default now();

grant select (user_id, seq, kept_seq, kept_at) on chat.memory_heads to chat_jobs;
create policy ids_and_numbers on chat.memory_heads for select to chat_jobs using (true);

-- Who has anything to embed is asked for by ids alone.
revoke select (embed_model) on chat.message_index from chat_jobs;
revoke select (embed_model, updated_at, expires_at) on chat.memories from chat_jobs;

-- What a new memory is compared with, and what one that goes has replaced: also among thousands that no longer hold.
create index memories_ended on chat.memories (user_id, shelf, digest) where valid_to is not null;
create index memories_ended_by_key on chat.memories (user_id, shelf, fact_key, valid_to) where valid_to is not null;
create index memories_replaced on chat.memories (user_id, superseded_by) where superseded_by is not null;
