-- The first seven run as the user, through functions that alone may touch the queue for him; the rest as chat_jobs.

-- name: enqueue_after_turn
-- Leave the after-work of the caller's own turn; it is there when the transaction commits.
select chat.enqueue_after_turn(%(session_id)s::uuid, %(turn_id)s, %(delay_s)s);

-- name: enqueue_unless_waiting
-- Leave work of no turn, unless a job that will do it waits.
select chat.enqueue_unless_waiting(%(session_id)s::uuid, %(turn_id)s);

-- name: enqueue_ingest
-- Leave the reading of the caller's own article.
select chat.enqueue_ingest(%(article_id)s);

-- name: forget_ingest
-- Take the reading of the caller's own article out of the queue, if it waits there.
select chat.forget_ingest(%(article_id)s);

-- name: enqueue_forgetting
-- Leave the after-work of no turn, for when the day is over, and the last minute of it too.
select chat.enqueue_after_turn(%(no_turn)s, %(no_turn)s,
    60 + ceil(extract(epoch from date_trunc('day', now(), 'utc') + interval '1 day' - now()))::integer);

-- name: read_status
-- How many jobs wait, how late the first of them is, how many have failed for good, how late revision is.
select waiting, oldest_s, failed, revision_s from chat.queue_status();

-- name: forget_jobs
-- Take out what waits or has failed of the caller's own; how many there were.
select chat.forget_jobs();

-- name: rescue_stalled
-- Give up jobs whose worker is dead, or has forgotten them: they wait again, unless they have had all their runs.
-- Without a queueing_lock, which older servers gave some: one that waits under the same would refuse this to all of them.
update procrastinate.procrastinate_jobs j
set status = (case when j.attempts + 1 < %(max_runs)s then 'todo' else 'failed' end)::procrastinate.procrastinate_job_status,
    attempts = j.attempts + 1, abort_requested = false, queueing_lock = null
where j.status = 'doing' and (
    not exists (select from procrastinate.procrastinate_workers w
                where w.id = j.worker_id and w.last_heartbeat between now() - make_interval(secs => %(stalled_s)s)
                    and now() + make_interval(secs => %(stalled_s)s))
    or not exists (select from procrastinate.procrastinate_events e
                   where e.job_id = j.id and e.type = 'started' and e.at > now() - make_interval(secs => %(overdue_s)s)))
returning j.id, j.status::text;

-- name: fail_nameless
-- Give up jobs whose arguments have no names: procrastinate trips over them in the midst, and leaves them as they are.
update procrastinate.procrastinate_jobs
set status = 'failed', attempts = attempts + 1, abort_requested = false, queueing_lock = null
where status = 'doing' and jsonb_typeof(args) <> 'object'
returning id;

-- name: list_failed
-- The newest hundred of the jobs that have failed for good, the last one first: ids only.
select j.id as job_id, j.task_name, j.attempts, j.args as arguments, max(e.at) as failed_at
from procrastinate.procrastinate_jobs j
left join procrastinate.procrastinate_events e on e.job_id = j.id and e.type = 'failed'
where j.status = 'failed'
group by j.id
order by j.id desc
limit 100;

-- name: retry_failed
-- Let a failed job, or all of them, begin anew; two of an older server may have had one queueing_lock.
update procrastinate.procrastinate_jobs
set status = 'todo', attempts = 0, scheduled_at = null, queueing_lock = null
where status = 'failed' and id = coalesce(%(job_id)s, id)
returning id;
