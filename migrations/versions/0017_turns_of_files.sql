-- 0017: files have a queue of their own, in which users take turns.

set local lock_timeout = '5s';

create or replace function chat.enqueue_ingest(article_id uuid, delay_s integer default 0) returns void
    language plpgsql
    security definer
    set search_path = procrastinate, pg_temp
as $$
declare
    whose constant text := chat.uid() || ':articles';
    came constant integer := extract(epoch from now() - timestamptz '2026-01-01 00:00+00');
begin
    if chat.uid() is null then
        raise insufficient_privilege using message = 'nobody has no articles';
    end if;
    insert into procrastinate_jobs (queue_name, task_name, priority, lock, args, scheduled_at)
    values ('files', 'ingest',
            least(-came, (select min(j.priority) - 60 from procrastinate_jobs j
                          where j.queue_name = 'files' and j.lock = whose and j.status in ('todo', 'doing'))),
            whose, jsonb_build_object('user_id', chat.uid(), 'article_id', article_id),
            case when delay_s > 0 then now() + make_interval(secs => delay_s) end);
end
$$;

update procrastinate.procrastinate_jobs set queue_name = 'files' where task_name = 'ingest' and status in ('todo', 'failed');
