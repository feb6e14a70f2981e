-- name: count_memories
-- How many memories hold, how many of them nobody has recalled for long or are nobody's word, and hidden messages.
select count(*),
    count(*) filter (where recalls = 0 and created_at <= now() - %(unused_for)s::interval),
    count(*) filter (where trust = 'untrusted'),
    (select count(*) from chat.message_index where user_id = %(user_id)s and is_hidden and place is not null)
from chat.memories
where user_id = %(user_id)s and valid_to is null and (expires_at is null or expires_at > now());

-- name: find_never_recalled
-- Memories that hold and that nobody has ever recalled, the oldest first.
select memory_id from chat.memories
where user_id = %(user_id)s and valid_to is null and (expires_at is null or expires_at > now())
    and recalls = 0 and created_at <= now() - %(unused_for)s::interval
order by created_at, memory_id
limit %(limit)s;

-- name: find_untrusted
-- Memories that hold and came from outside, the last changed first.
select memory_id from chat.memories
where user_id = %(user_id)s and valid_to is null and (expires_at is null or expires_at > now())
    and trust = 'untrusted'
order by seq desc
limit %(limit)s;

-- name: find_contradicted
-- Facts that hold and say different things of one subject, or one shelf denies them; not such as go together: likes:tea.
select ids, count(*) over ()
from (
    select array_agg(memory_id order by seq desc) as ids, max(seq) as seq
    from chat.memories
    where user_id = %(user_id)s and valid_to is null and (expires_at is null or expires_at > now())
        and subject is not null
    group by lower(subject), lower(predicate)
    having count(distinct lower(object)) > 1
        and not bool_or(case when fact_key is null then origin = 'rules' else split_part(fact_key, '|', 2) ~ ':' end)
    union all
    select array_agg(memory_id order by seq desc), max(seq)
    from chat.memories
    where user_id = %(user_id)s and valid_to is null and (expires_at is null or expires_at > now())
        and subject is not null and fact_key is not null
    group by fact_key
    having bool_or(shelf = %(every_agent)s) and count(distinct lower(object)) = 1
        and count(distinct text ~* '\m(not|longer|never|dislikes?)\M') > 1
) found
order by seq desc
limit %(limit)s;

-- name: find_hidden
-- Messages that recall passes over, the newest first.
select message_id, session_id from chat.message_index
where user_id = %(user_id)s and is_hidden and place is not null
order by place desc nulls last
limit %(limit)s;
