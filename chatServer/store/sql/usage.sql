-- name: add_usage
-- One more turn of a user's day, and what it took.
insert into chat.usage_daily as known (user_id, day, agent_name, model, turns, input_tokens, output_tokens)
values (%(user_id)s, coalesce(%(day)s::date, (now() at time zone 'utc')::date), %(agent_name)s, %(model)s, 1,
    %(input_tokens)s, %(output_tokens)s)
on conflict (user_id, day, agent_name, model) do update
set turns = known.turns + excluded.turns,
    input_tokens = known.input_tokens + excluded.input_tokens,
    output_tokens = known.output_tokens + excluded.output_tokens;

-- name: read_usage
-- What a user's turns took since a day, by day, agent and model.
select day, agent_name, model, turns, input_tokens, output_tokens
from chat.usage_daily
where user_id = %(user_id)s and day >= %(since)s
order by day, agent_name, model;
