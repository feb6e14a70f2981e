-- 0021: a job is fetched along the index of priorities, however many wait. The queue is analysed when it is empty, and by
-- a plan of then every job of 5,000 took 2 s to fetch, and of 20,000 half a minute, which is never: it is cut off at 10.

set local lock_timeout = '5s';

alter function procrastinate.procrastinate_fetch_job_v2(character varying[], bigint)
    set enable_seqscan = off
    set enable_bitmapscan = off
    set enable_sort = off
    set enable_hashjoin = off
    set enable_mergejoin = off;
