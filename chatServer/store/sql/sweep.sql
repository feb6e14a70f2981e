-- name: list_users_with_old_events
-- Whose events have expired; of all users, and nothing but that.
(select user_id from chat.turn_events where created_at < now() - make_interval(secs => %(turn_events_s)s)
    limit %(limit)s)
union
(select user_id from chat.user_events where created_at < now() - make_interval(secs => %(user_events_s)s)
    limit %(limit)s);

-- name: read_heads
-- How far the events of some users have come; numbers, and nothing of what they say.
select user_id, seq from chat.user_event_heads where user_id = any(%(user_ids)s);

-- name: list_users_with_memories_to_keep
-- Whose memories have changed since maintenance looked after them, or had none for long; of all users, nothing but that.
-- Who has a job for it, waiting or at work, is left out.
select h.user_id from chat.memory_heads h
where (h.kept_at < now() - %(every)s::interval and h.seq <> h.kept_seq or h.kept_at < now() - %(at_least_every)s::interval)
    and not exists (select from procrastinate.procrastinate_jobs j
                    where j.task_name = 'maintain_memories' and j.status in ('todo', 'doing')
                        and j.args ->> 'user_id' = h.user_id::text)
order by h.kept_at
limit %(limit)s;

-- name: list_users
-- Who has messages, memories or articles; of all users, and nothing but that. From one user to the next, whatever they have.
with recursive everybody (user_id, number) as (
    select %(after)s::uuid, 0
    union all
    select least(
            (select i.user_id from chat.message_index i where i.user_id > e.user_id order by i.user_id limit 1),
            (select m.user_id from chat.memories m where m.user_id > e.user_id order by m.user_id limit 1),
            (select a.user_id from chat.articles a where a.user_id > e.user_id order by a.user_id limit 1)),
        e.number + 1
    from everybody e
    where e.user_id is not null and e.number < %(limit)s
)
select user_id from everybody where number > 0 and user_id is not null order by number;

-- name: list_articles_to_give_up
-- Articles whose job has failed for good lately, and that have no other: ids and times from the queue alone.
select j.args ->> 'user_id', j.args ->> 'article_id', max(e.at)
from procrastinate.procrastinate_jobs j
join procrastinate.procrastinate_events e on e.job_id = j.id and e.type = 'failed'
where j.task_name = 'ingest' and j.status = 'failed' and e.at > now() - %(lately)s::interval
    and not exists (select from procrastinate.procrastinate_jobs other
                    where other.task_name in ('ingest', 'give_up_article') and other.status in ('todo', 'doing')
                        and other.args ->> 'article_id' = j.args ->> 'article_id')
group by 1, 2
limit %(limit)s;
