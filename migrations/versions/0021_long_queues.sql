-- 0021: a queue in which many wait is worked off, and looked at, as one in which few do. It is analysed when it is
-- empty, and by plans of then every job of 5,000 took 2 s to fetch, and of 20,000 half a minute, which is never: it is
-- cut off at 10. As long took it to say how the queue does. So the one goes along the index of priorities, and the other
-- looks for the first that waits before it looks for when that came.

set local lock_timeout = '5s';

alter function procrastinate.procrastinate_fetch_job_v2(character varying[], bigint)
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_sort = off
    set enable_hashjoin = off
    set enable_mergejoin = off;

create or replace function chat.queue_status(
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
