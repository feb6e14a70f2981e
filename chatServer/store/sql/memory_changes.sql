-- name: list_changes
-- What was done to a memory, the newest first.
select seq, memory_id, operation, actor, reason, message_id, turn_id, undone, created_at
from chat.memory_changes
where user_id = %(user_id)s and memory_id = %(memory_id)s
order by seq desc
limit %(limit)s;

-- name: find_undoable
-- The last change to a memory that was not undone, with what was before it, as long as that is kept.
select seq, memory_id, operation, actor, reason, message_id, turn_id, undone, created_at, before, hidden
from chat.memory_changes
where user_id = %(user_id)s and memory_id = %(memory_id)s and not undone
    and operation not in ('repeated', 'restored') and created_at > now() - %(undo_for)s::interval
order by seq desc
limit 1;

-- name: find_forgotten_in
-- The memories that a turn has deleted, and messages hidden, in attempts up to this one, the last first.
select memory_id
from chat.memory_changes
where user_id = %(user_id)s and turn_id = %(turn_id)s and coalesce(attempt, 0) <= %(attempt)s
    and operation = 'deleted' and not undone
order by seq desc;

-- name: find_forgotten
-- Those of some memories that were deleted, and can be had back.
select memory_id
from chat.memory_changes
where user_id = %(user_id)s and memory_id = any(%(memory_ids)s) and operation = 'deleted' and not undone
    and created_at > now() - %(undo_for)s::interval
    and (message_id is null or exists (
        select from chat.message_index i where i.user_id = %(user_id)s and i.message_id = memory_changes.message_id));

-- name: list_forgotten
-- What somebody deleted on purpose and can have back, the last first; a message that is passed over has nothing before.
select created_at, before
from chat.memory_changes c
where user_id = %(user_id)s and operation = 'deleted' and not undone and before is not null
    and actor in ('user', 'model') and reason is distinct from 'undo' and created_at > now() - %(undo_for)s::interval
    and not exists (select from chat.memories m where m.user_id = c.user_id and m.memory_id = c.memory_id)
order by seq desc
limit %(limit)s;

-- name: mark_undone
-- This change was taken back.
update chat.memory_changes set undone = true
where user_id = %(user_id)s and seq = %(seq)s and memory_id = %(memory_id)s;

-- name: mark_all_undone
-- All that was done to it was taken back, however long ago it was.
update chat.memory_changes set undone = true
where user_id = %(user_id)s and memory_id = %(memory_id)s and not undone;

-- name: add_of_message
-- What was done to a message instead of a memory, under the number to which the caller has advanced the user's head.
insert into chat.memory_changes (user_id, seq, memory_id, operation, actor, reason, message_id, turn_id, hidden)
select user_id, seq, %(change_id)s, %(operation)s, %(actor)s, %(reason)s, %(message_id)s, %(turn_id)s, %(hidden)s
from chat.memory_heads
where user_id = %(user_id)s;

-- name: drop_before
-- Of memories that are gone, and of those that were learned in a session, nothing is kept that could come back.
update chat.memory_changes set before = null, undone = true
where user_id = %(user_id)s
    and (memory_id = any(%(memory_ids)s) or memory_id in (
        select memory_id from chat.memory_changes
        where user_id = %(user_id)s and before ->> 'session_id' = %(session_id)s));

-- name: count_created
-- How many memories others than the user himself have made in the last minute, among the last changes.
select count(*)
from (
    select operation, actor, created_at from chat.memory_changes
    where user_id = %(user_id)s
        and seq > (select seq - 1000 from chat.memory_heads where user_id = %(user_id)s)
    order by seq desc
    limit 400
) latest
where operation = 'created' and actor <> 'user' and created_at > now() - interval '1 minute';
