-- A running turn that is not alive reads as interrupted, wherever it is read; the next write stores it.
-- {is_alive}: queries.py.

-- name: read_turns
-- How some turns went.
select turn_id, session_id, agent_name, turn_key, request_hash,
    case when state = 'running' and not {is_alive} then 'interrupted' else state end as state,
    attempt, user_message_id, reply_message_id, partial_text, error_code, model, usage, revision, recalled
from chat.turns
where user_id = %(user_id)s and turn_id = any(%(turn_ids)s);

-- name: measure_partial_texts
-- How many bytes there are of what was never finished; that is known without reading it.
select turn_id, octet_length(partial_text)
from chat.turns
where user_id = %(user_id)s and turn_id = any(%(turn_ids)s) and partial_text is not null;

-- name: find_turns
-- The turn with this key and the one that is running: none, one or two. What they are is asked when there are any.
select turn_id from chat.turns
where user_id = %(user_id)s and session_id = %(session_id)s and turn_key = %(turn_key)s
union all
select turn_id from chat.turns
where user_id = %(user_id)s and session_id = %(session_id)s and state = 'running'
    and (turn_key = %(turn_key)s) is not true;

-- name: find_running
-- The same where there is no key: the one that is running, if any. Twice the look is twice the cost, also of nothing.
select turn_id from chat.turns
where user_id = %(user_id)s and session_id = %(session_id)s and state = 'running';

-- name: insert_turn
-- A turn that begins now.
insert into chat.turns (user_id, turn_id, session_id, agent_name, turn_key, trigger, request_hash, lease_until,
    user_message_id, reply_message_id, model, supersedes_turn_id, client_message_id)
values (%(user_id)s, %(turn_id)s, %(session_id)s, %(agent_name)s, %(turn_key)s, %(trigger)s, %(request_hash)s,
    now() + make_interval(secs => %(lease_s)s), %(user_message_id)s, %(reply_message_id)s, %(model)s,
    %(supersedes_turn_id)s, %(client_message_id)s);

-- name: set_model
-- Another model answers it than the one that it began with.
update chat.turns set model = %(model)s where user_id = %(user_id)s and turn_id = %(turn_id)s;

-- name: release_key
-- Its key is another turn's from now on.
update chat.turns set turn_key = turn_key || ':' || turn_id
where user_id = %(user_id)s and turn_id = %(turn_id)s;

-- name: take_over
-- Another attempt at a turn whose process is gone; its number, or nothing when the turn is in other hands.
update chat.turns
set state = 'running', attempt = attempt + 1, lease_until = now() + make_interval(secs => %(lease_s)s),
    stop_requested_at = null, partial_text = null, error_code = null, finished_at = null, model = %(model)s
where user_id = %(user_id)s and turn_id = %(turn_id)s and attempt = %(attempt)s
    and (state = 'interrupted' or state = 'running' and not {is_alive})
returning attempt;

-- name: mark_interrupted
-- Store what a running turn past its lease reads as.
update chat.turns set state = 'interrupted', finished_at = now(), lease_until = null
where user_id = %(user_id)s and turn_id = %(turn_id)s and state = 'running' and not {is_alive}
returning turn_id;

-- name: renew_lease
-- This attempt is alive; nothing comes back when it is no longer the one that counts.
update chat.turns set lease_until = now() + make_interval(secs => %(lease_s)s)
where user_id = %(user_id)s and turn_id = %(turn_id)s and attempt = %(attempt)s and state = 'running'
returning stop_requested_at is not null as is_stop_requested;

-- name: look_at_turn
-- The same question without a write; whoever wants to take the turn over waits until we are done.
select stop_requested_at is not null as is_stop_requested
from chat.turns
where user_id = %(user_id)s and turn_id = %(turn_id)s and attempt = %(attempt)s and state = 'running'
for share;

-- name: request_stop
-- Ask whoever runs this session's turn to stop it.
update chat.turns set stop_requested_at = coalesce(stop_requested_at, now())
where user_id = %(user_id)s and session_id = %(session_id)s and state = 'running' and {is_alive}
returning turn_id;

-- name: request_all_stops
-- Ask whoever runs any turn of the user to stop it.
update chat.turns set stop_requested_at = coalesce(stop_requested_at, now())
where user_id = %(user_id)s and state = 'running' and {is_alive}
returning turn_id;

-- name: finish_turn
-- How it ended and the rest of its log; an error, for which nobody waits, when this attempt is no longer the one that counts.
with held as (
    select from chat.sessions where user_id = %(user_id)s and session_id = %(session_id)s for update
), ended as (
    update chat.turns
    set state = %(state)s, finished_at = now(), lease_until = null, partial_text = %(partial_text)s,
        error_code = %(error_code)s, usage = %(usage)s, recalled = %(recalled)s, revision_state = %(revision_state)s,
        revision = coalesce(%(revision)s, revision)
    where user_id = %(user_id)s and turn_id = %(turn_id)s and attempt = %(attempt)s and state = 'running'
        and exists (select from held)
    returning turn_id
), told as (
    insert into chat.turn_events (user_id, turn_id, seq_from, seq_to, events)
    select %(user_id)s, turn_id, %(seq_from)s, %(seq_to)s, %(events)s::jsonb
    from ended
    where %(events)s::jsonb is not null)
select chat.still_counts(exists (select from ended));
