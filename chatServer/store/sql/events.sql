-- name: append_events
-- What a running attempt said, in one numbered batch.
insert into chat.turn_events (user_id, turn_id, seq_from, seq_to, events)
select %(user_id)s, %(turn_id)s, %(seq_from)s, %(seq_to)s, %(events)s
where exists (
    select from chat.turns
    where user_id = %(user_id)s and turn_id = %(turn_id)s and attempt = %(attempt)s and state = 'running');

-- name: read_events
-- The batches that hold anything after a point, oldest first.
select seq_from, events::text
from chat.turn_events
where user_id = %(user_id)s and turn_id = %(turn_id)s and seq_to > %(after_seq)s
order by seq_from;

-- name: read_words
-- The words of some turns' logs and where their steps begin, without what tools said, in their order.
select e.turn_id, said.event::text
from chat.turn_events e, jsonb_array_elements(e.events) with ordinality said (event, place)
where e.user_id = %(user_id)s and e.turn_id = any(%(turn_ids)s)
    and said.event ->> 'kind' in ('step-start', 'text-delta')
order by e.turn_id, e.seq_from, said.place
limit %(limit)s;

-- name: has_events_after
-- Whether the log goes on after a point.
select exists (
    select from chat.turn_events
    where user_id = %(user_id)s and turn_id = %(turn_id)s and seq_to > %(after_seq)s);

-- name: delete_events
-- What a dead attempt said, or what may have been written already: the batches that begin between two numbers.
delete from chat.turn_events
where user_id = %(user_id)s and turn_id = %(turn_id)s and seq_from between %(seq_from)s and %(seq_to)s;

-- name: delete_old_events
-- Logs of turns that ended, or died, a while ago: nobody resumes them any more.
delete from chat.turn_events
where user_id = %(user_id)s and (
    select coalesce(finished_at, lease_until) from chat.turns
    where user_id = %(user_id)s and turn_id = turn_events.turn_id) < now() - make_interval(secs => %(age_s)s);
