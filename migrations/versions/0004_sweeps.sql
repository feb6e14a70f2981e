-- 0004: expired events can be found.

set local lock_timeout = '5s';

-- Whoever works off the queue finds what has expired: whose it is and when it was, never what it says.
grant usage on schema chat to chat_jobs;
grant select (user_id, turn_id, created_at) on chat.turn_events to chat_jobs;
grant select (user_id, created_at) on chat.user_events to chat_jobs;
create policy ids_and_times on chat.turn_events for select to chat_jobs using (true);
create policy ids_and_times on chat.user_events for select to chat_jobs using (true);
