-- name: append_events
-- What a turn said, in one numbered batch.
insert into chat.turn_events (user_id, turn_id, seq_from, seq_to, events)
values (%(user_id)s, %(turn_id)s, %(seq_from)s, %(seq_to)s, %(events)s);

-- name: read_events
-- The batches that hold anything after a point, oldest first.
select seq_from, events::text
from chat.turn_events
where user_id = %(user_id)s and turn_id = %(turn_id)s and seq_to > %(after_seq)s
order by seq_from;

-- name: has_events_after
-- Whether the log goes on after a point.
select exists (
    select from chat.turn_events
    where user_id = %(user_id)s and turn_id = %(turn_id)s and seq_to > %(after_seq)s);

-- name: delete_events
-- What a dead attempt said, or what may have been written twice: everything from a number on.
delete from chat.turn_events
where user_id = %(user_id)s and turn_id = %(turn_id)s and seq_from >= %(seq_from)s;

-- name: delete_old_events
-- Logs of turns that ended, or died, a while ago: nobody resumes them any more.
delete from chat.turn_events
where user_id = %(user_id)s and turn_id in (
    select turn_id from chat.turns
    where user_id = %(user_id)s
        and coalesce(finished_at, lease_until) < now() - make_interval(secs => %(age_s)s));
