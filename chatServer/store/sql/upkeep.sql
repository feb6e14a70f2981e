-- name: find_promotable
-- Memories that have earned the long tier, those unchanged for longest first; none that somebody took back from there.
select memory_id from chat.memories m
where user_id = %(user_id)s and tier = 'short' and kind <> 'working' and valid_to is null
    and (importance >= %(importance)s::real or recalls >= %(recalls)s)
    and not exists (
        select 1 from chat.memory_changes c
        where c.user_id = %(user_id)s and c.memory_id = m.memory_id and c.operation = 'promoted' and c.undone)
order by seq
limit %(limit)s;

-- name: find_expired
-- Memories whose time is over; of a working one, so long after its last change where nothing else is said.
select memory_id from chat.memories
where user_id = %(user_id)s
    and (expires_at <= now() or kind = 'working' and expires_at is null and updated_at <= now() - %(working_life)s::interval)
order by seq
limit %(limit)s;

-- name: find_unused
-- Memories that were neither changed nor recalled for as many days as their agent says, or as all else; without a number they stay.
select memory_id from chat.memories
where user_id = %(user_id)s and greatest(updated_at, recalled_at)
    <= now() - make_interval(days => coalesce((%(by_agent)s::jsonb ->> agent_name)::integer, %(days)s::integer))
order by seq
limit %(limit)s;

-- name: find_tail
-- What is beyond the room of the short tier: the least important and oldest, by what age leaves of their importance.
-- What the user made himself, or has brought back before, stays. An import may bring any age between 1000 and 9099.
select memory_id
from (
    select memory_id, is_kept, seq,
        importance * case when recalls > 0 then 1 else power(0.5, least(age_s / %(half_life_s)s, 100)) end as standing
    from (
        select memory_id, seq, importance, recalls,
            greatest(extract(epoch from now() - updated_at)::float8, 0) as age_s,
            origin = 'user' or exists (
                select 1 from chat.memory_changes c
                where c.user_id = %(user_id)s and c.memory_id = m.memory_id
                    and c.actor = 'maintenance' and c.operation = 'expired' and c.undone) as is_kept
        from chat.memories m
        where user_id = %(user_id)s and tier = 'short' and valid_to is null
    ) short_tier
    order by is_kept desc, standing desc, seq desc
    offset %(room)s
) beyond
where not is_kept
order by standing, seq
limit %(limit)s;

-- name: find_texts
-- The last changed memories that hold, and that their words alone tell from others; but what the user has brought back.
select memory_id, shelf, text from chat.memories m
where user_id = %(user_id)s and valid_to is null and fact_key is null and (expires_at is null or expires_at > now())
    and not exists (
        select 1 from chat.memory_changes c
        where c.user_id = %(user_id)s and c.memory_id = m.memory_id and c.operation = 'merged' and c.undone)
order by seq desc
limit %(limit)s;

-- name: prune_before
-- What memories were so long ago is kept no longer.
update chat.memory_changes set before = null
where user_id = %(user_id)s and (seq, memory_id) in (
    select seq, memory_id from chat.memory_changes
    where user_id = %(user_id)s and before is not null and created_at <= now() - %(kept_for)s::interval
    order by seq
    limit %(limit)s)
returning memory_id;

-- name: mark_begun
-- Looked after from now on; if it is never done, it is due again, but no sooner than what was.
update chat.memory_heads set kept_at = now(), kept_seq = -1
where user_id = %(user_id)s;

-- name: mark_kept
-- Everything up to a number was looked after; with something that will expire, nothing was.
update chat.memory_heads set kept_at = now(), kept_seq = case when exists (
    select 1 from chat.memories
    where user_id = %(user_id)s and (expires_at is not null or kind = 'working')) then -1 else %(seq)s end
where user_id = %(user_id)s;
