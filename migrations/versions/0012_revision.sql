-- 0012: how many messages a summary stands for, what revision takes, and how late it is.

set local lock_timeout = '5s';

alter table chat.summaries add column messages bigint not null default 0;

-- Part of the tokens of a day: what models took after turns, for memories and summaries.
alter table chat.usage_daily add column revision_tokens bigint not null default 0;

-- The turns of a session that wait for their revision, however many others it has.
create index turns_unrevised on chat.turns (user_id, session_id) where revision_state in ('queued', 'running', 'failed');

-- The log of a turn that has ended says of its revision how it went, in the place where it said that it begins.
grant update (events) on chat.turn_events to chat_user;

-- How late the after-work of turns is, too: the oldest turn that is not revised yet, a job that is tried again included.
drop function chat.queue_status();
create function chat.queue_status(
    out waiting bigint, out oldest_s double precision, out failed bigint, out revision_s double precision)
    language sql
    security definer
    set search_path = procrastinate, pg_temp
as $$
    select (select count(*) from procrastinate_jobs where status = 'todo'),
        coalesce((
            select extract(epoch from clock_timestamp() - coalesce(j.scheduled_at, e.at))
            from procrastinate_jobs j join procrastinate_events e on e.job_id = j.id and e.type = 'deferred'
            where j.status = 'todo' and (j.scheduled_at is null or j.scheduled_at <= now())
            order by j.priority desc, j.id limit 1), 0),
        (select count(*) from procrastinate_jobs where status = 'failed'),
        coalesce((
            select extract(epoch from clock_timestamp() - e.at)
            from procrastinate_jobs j join procrastinate_events e on e.job_id = j.id and e.type = 'deferred'
            where j.status in ('todo', 'doing') and j.task_name = 'after_turn'
                and (j.attempts > 0 or j.scheduled_at is null or j.scheduled_at <= now())
            order by j.id limit 1), 0)
$$;

revoke all on function chat.queue_status() from public;
grant execute on function chat.queue_status() to chat_user;
