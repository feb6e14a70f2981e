-- Whoever begins a turn holds the user's row of chat.user_limits: after the session's, before the turn's and the notes'.

-- name: hold_limits
-- When the user's turns of the last minute began; nobody else counts until the transaction ends.
insert into chat.user_limits as known (user_id)
values (%(user_id)s)
on conflict (user_id) do update set turns_at = known.turns_at
returning turns_at;

-- name: read_spending
-- What runs, what it has reserved, and what the day has taken: one look, so that a turn that ends counts once.
select clock_timestamp() as asked_at,
    count(*) as running,
    coalesce(sum(reserved_tokens), 0)::bigint as reserved_tokens,
    (select coalesce(sum(input_tokens + output_tokens), 0)::bigint
        from chat.usage_daily
        where user_id = %(user_id)s and day = (now() at time zone 'utc')::date) as used_tokens
from chat.turns
where user_id = %(user_id)s and state = 'running' and {is_alive};

-- name: add_turn_time
-- Forget the first ones, which are no longer of the last minute, and add the turn that begins.
update chat.user_limits set turns_at = turns_at[%(forgotten)s + 1:] || %(at)s::timestamptz
where user_id = %(user_id)s;

-- name: reserve_tokens
-- What a turn may take while it runs.
update chat.turns set reserved_tokens = %(tokens)s where user_id = %(user_id)s and turn_id = %(turn_id)s;
