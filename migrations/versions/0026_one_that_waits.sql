-- 0026: of jobs that make vectors for whatever of a user's has none, one waits.
-- Whoever corrected a memory 4,000 times left 4,000, and a worker looks through all that wait for each job that it fetches:
-- behind those of two such users that took it 3.6 s, of the 10 that it has.

set local lock_timeout = '5s';

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

revoke all on function chat.enqueue_unless_waiting(uuid, uuid) from public;
grant execute on function chat.enqueue_unless_waiting(uuid, uuid) to chat_user;
