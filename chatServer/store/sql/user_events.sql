-- Whoever tells holds the user's head until the transaction ends: so numbers appear in their order, and without gaps.
-- So does whoever erases all that is the user's: a transaction that began before is refused here, at its end, and leaves
-- nothing. (chat.in_time looks anew when it is called, once the head is held.) An erasure takes the head with it, so who
-- began later than the head did need not look: the second is for clocks that are set back.
-- A head begins at the clock, in milliseconds: one that was erased never comes back to a number that it had.

-- name: tell
-- An event, under the number after the user's last one; in time, or not at all.
with head as (
    insert into chat.user_event_heads as heads (user_id, seq)
    values (%(user_id)s, (extract(epoch from clock_timestamp()) * 1000)::bigint)
    on conflict (user_id) do update set seq = heads.seq + 1
    returning user_id, seq, begun_at)
insert into chat.user_events (user_id, seq, kind, data)
select user_id, seq, %(kind)s, %(data)s from head
where begun_at < now() - make_interval(secs => 1 + %(waited_s)s::double precision) or chat.in_time(%(waited_s)s);

-- name: be_in_time
-- The same without an event.
with head as (
    insert into chat.user_event_heads as heads (user_id, seq)
    values (%(user_id)s, (extract(epoch from clock_timestamp()) * 1000)::bigint)
    on conflict (user_id) do update set seq = heads.seq
    returning user_id)
select chat.in_time(%(waited_s)s) from head where user_id = %(user_id)s;

-- name: begin_head
-- Where the events of a user begin, for whom there was none yet.
insert into chat.user_event_heads as heads (user_id, seq)
values (%(user_id)s, (extract(epoch from clock_timestamp()) * 1000)::bigint)
on conflict (user_id) do update set seq = heads.seq
returning seq;

-- name: read_user_events
-- The number of the user's last event, beside those after a point, oldest first; nothing when there is no head.
select heads.seq as head, events.seq, events.kind, events.data::text
from chat.user_event_heads heads
left join chat.user_events events on events.user_id = heads.user_id and events.seq > %(after_seq)s
where heads.user_id = %(user_id)s
order by events.seq
limit %(limit)s;

-- name: forget_title
-- A session that is deleted leaves its title nowhere.
update chat.user_events set data = data - 'title'
where user_id = %(user_id)s and data ->> 'session_id' = %(session_id)s and data ? 'title';

-- name: delete_old_user_events
-- What a user's other devices have heard about by now.
delete from chat.user_events
where user_id = %(user_id)s and created_at < now() - make_interval(secs => %(age_s)s);
