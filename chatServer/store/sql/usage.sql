-- name: add_usage
-- One more turn of a user's day, and what it took.
insert into chat.usage_daily as known (user_id, day, agent_name, model, turns, input_tokens, output_tokens)
values (%(user_id)s, coalesce(%(day)s::date, (now() at time zone 'utc')::date), %(agent_name)s, %(model)s, 1,
    %(input_tokens)s, %(output_tokens)s)
on conflict (user_id, day, agent_name, model) do update
set turns = known.turns + excluded.turns,
    input_tokens = known.input_tokens + excluded.input_tokens,
    output_tokens = known.output_tokens + excluded.output_tokens;

-- name: add_revision
-- What a model took after a user's turns, behind the scenes: it counts as the user's, and apart.
insert into chat.usage_daily as known
    (user_id, day, agent_name, model, turns, input_tokens, output_tokens, revision_tokens)
values (%(user_id)s, (now() at time zone 'utc')::date, %(agent_name)s, %(model)s, 0, %(input_tokens)s,
    %(output_tokens)s, %(input_tokens)s::bigint + %(output_tokens)s::bigint)
on conflict (user_id, day, agent_name, model) do update
set input_tokens = known.input_tokens + excluded.input_tokens,
    output_tokens = known.output_tokens + excluded.output_tokens,
    revision_tokens = known.revision_tokens + excluded.revision_tokens;

-- name: read_today
-- What a user's day has taken, and how much of that behind the scenes.
select coalesce(sum(input_tokens + output_tokens), 0)::bigint, coalesce(sum(revision_tokens), 0)::bigint
from chat.usage_daily
where user_id = %(user_id)s and day = (now() at time zone 'utc')::date;

-- name: read_usage
-- What a user's turns took from one day to another, which may be none, by day, agent and model.
select day, agent_name, model, turns, input_tokens, output_tokens, revision_tokens
from chat.usage_daily
where user_id = %(user_id)s and day >= %(since)s and day <= coalesce(%(until)s::date, 'infinity')
order by day, agent_name, model;
