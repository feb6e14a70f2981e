-- 0005: events of a user are numbered in the order in which they appear.

set local lock_timeout = '5s';

alter table chat.user_events alter seq drop identity;

-- The number of a user's last event. A sequence gives numbers that can appear in another order than theirs, and a
-- reader with a cursor would miss the later ones; this row is held until its transaction ends.
create table chat.user_event_heads (
    user_id     uuid        not null default chat.uid(),
    seq         bigint      not null,
    primary key (user_id)
);

revoke all on chat.user_event_heads from public, anon, authenticated;
grant select, insert, update, delete on chat.user_event_heads to chat_user;
grant update (data) on chat.user_events to chat_user;  -- the title of a session that is deleted
alter table chat.user_event_heads enable row level security, force row level security;
create policy own_rows on chat.user_event_heads to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));

-- A server asks once for all users who listen whether anything has come: numbers, as whoever works off the queue.
grant select (user_id, seq) on chat.user_event_heads to chat_jobs;
create policy ids_and_numbers on chat.user_event_heads for select to chat_jobs using (true);
