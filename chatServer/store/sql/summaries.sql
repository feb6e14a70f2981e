-- name: read_summary
-- What a session's head was compressed to, where it was.
select summary as text, covers_to, messages, tokens, model
from chat.summaries
where user_id = %(user_id)s and session_id = %(session_id)s;

-- name: read_after
-- The newest messages after a row that a model may see: of finished turns, and those that no turn wrote; newest first.
-- The row is a value, not looked up here: Postgres has to know how few these are. Of a session of 100,000 messages it
-- read so many that it took 25 ms instead of 1 (2026-11-19).
select h.id, h.message_id, h.turn_id, h.created_at, h.message::text, h.tokens, h.importance
from public.chat_message_history h
left join chat.turns t on t.user_id = h.user_id and t.turn_id = h.turn_id
where h.user_id = %(user_id)s and h.session_id between %(session_id)s and %(session_id)s and h.id > %(after)s
    and (h.turn_id is null or t.state in ('done', 'stopped'))
order by h.session_id desc, h.id desc
limit %(limit)s;

-- name: count_after
-- How many messages, up to so many, a model may see that a session's summary does not hold, and their tokens.
select count(*)::int as messages, coalesce(sum(newest.tokens), 0)::int as tokens
from (
    select h.tokens
    from public.chat_message_history h
    left join chat.turns t on t.user_id = h.user_id and t.turn_id = h.turn_id
    where h.user_id = %(user_id)s and h.session_id between %(session_id)s and %(session_id)s
        and h.id > coalesce((select covers_to from chat.summaries
                             where user_id = %(user_id)s and session_id = %(session_id)s), 0)
        and (h.turn_id is null or t.state in ('done', 'stopped'))
    order by h.session_id desc, h.id desc
    limit %(limit)s
) as newest;

-- name: measure
-- How many messages a session's summary holds, what it takes, and how much was said since, as count_after counts it.
select coalesce(known.messages, 0) as summarised, coalesce(known.tokens, 0) as summary_tokens,
    count(newest.id)::int as messages, coalesce(sum(newest.tokens), 0)::int as tokens
from (select max(covers_to) as covers_to, max(messages) as messages, max(tokens) as tokens from chat.summaries
      where user_id = %(user_id)s and session_id = %(session_id)s) known
left join lateral (
    select h.id, h.tokens
    from public.chat_message_history h
    left join lateral (select state from chat.turns where user_id = h.user_id and turn_id = h.turn_id limit 1) t on true
    where h.user_id = %(user_id)s and h.session_id between %(session_id)s and %(session_id)s
        and h.id > coalesce(known.covers_to, 0) and (h.turn_id is null or t.state in ('done', 'stopped'))
    order by h.session_id desc, h.id desc
    limit %(limit)s) newest on true
group by known.messages, known.tokens;

-- name: claim_summary
-- Claim the making of a session's summary for a while; a job also takes what another job held, which must be dead.
update chat.sessions
set summarising_until = now() + make_interval(secs => %(lease_s)s), is_summarised_by_job = %(is_job)s
where user_id = %(user_id)s and session_id = %(session_id)s
    and (summarising_until is null or summarising_until < now() or (%(is_job)s and is_summarised_by_job))
returning summarising_until;

-- name: look
-- Whether somebody makes a session's summary just now, and how far the one that is there goes.
select coalesce(s.summarising_until >= now(), false) as is_claimed, coalesce(m.covers_to, 0) as covers_to
from chat.sessions s
left join chat.summaries m on m.user_id = s.user_id and m.session_id = s.session_id
where s.user_id = %(user_id)s and (s.session_id = %(id)s or s.external_id = %(id)s);

-- name: release_summary
-- Let others make the next one, unless another has taken this one's place.
update chat.sessions set summarising_until = null
where user_id = %(user_id)s and session_id = %(session_id)s and summarising_until = %(until)s;

-- name: write_summary
-- A summary in the place of the one that it goes on from, while what it is made of is still said.
insert into chat.summaries as known (user_id, session_id, summary, covers_to, messages, tokens, model)
select %(user_id)s, %(session_id)s, %(text)s, %(covers_to)s, %(before)s + count(*), %(tokens)s, %(model)s
from public.chat_message_history h
left join chat.turns t on t.user_id = h.user_id and t.turn_id = h.turn_id
where h.user_id = %(user_id)s and h.session_id between %(session_id)s and %(session_id)s
    and h.id > %(after)s and h.id <= %(covers_to)s and (h.turn_id is null or t.state in ('done', 'stopped'))
having count(*) filter (where h.message_id = any(%(message_ids)s::uuid[])) = cardinality(%(message_ids)s::uuid[])
    and %(after)s = coalesce((select covers_to from chat.summaries
                              where user_id = %(user_id)s and session_id = %(session_id)s), 0)
on conflict (user_id, session_id) do update
set summary = excluded.summary, covers_to = excluded.covers_to, messages = excluded.messages,
    tokens = excluded.tokens, model = excluded.model, updated_at = excluded.updated_at
returning messages;
