-- 0027: the job of a file that is deleted goes with it.
-- Whoever sent files and deleted them left 938 jobs in 20 s, while no more than 1,000 files of his may be there.

set local lock_timeout = '5s';

-- Who deletes an article takes its reading out of the queue, but while it runs: then it finds nothing.
create function chat.forget_ingest(article_id uuid) returns void
    language sql
    security definer
    set search_path = procrastinate, pg_temp
as $$
    delete from procrastinate_jobs
    where lock like chat.uid() || ':articles%' and args ->> 'article_id' = article_id::text and status = 'todo'
$$;
revoke all on function chat.forget_ingest(uuid) from public;
grant execute on function chat.forget_ingest(uuid) to chat_user;
