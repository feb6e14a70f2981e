-- 0017: files have a queue of their own, in which users take turns.

set local lock_timeout = '5s';

create or replace function chat.enqueue_ingest(article_id uuid, delay_s integer default 0) returns void
    language plpgsql
    security definer
    set search_path = procrastinate, pg_temp
as $$
declare
    whose constant text := chat.uid() || ':articles';
    place integer;
begin
    if chat.uid() is null then
        raise insufficient_privilege using message = 'nobody has no articles';
    end if;
    select least(max(j.priority), min(j.priority) filter (where j.lock = whose) - 1) into place
    from procrastinate_jobs j
    where j.queue_name = 'files' and j.status in ('todo', 'doing');
    insert into procrastinate_jobs (queue_name, task_name, priority, lock, args, scheduled_at)
    values ('files', 'ingest', coalesce(place, -1), whose,
            jsonb_build_object('user_id', chat.uid(), 'article_id', article_id),
            case when delay_s > 0 then now() + make_interval(secs => delay_s) end);
end
$$;

update procrastinate.procrastinate_jobs set queue_name = 'files' where task_name = 'ingest' and status in ('todo', 'failed');
