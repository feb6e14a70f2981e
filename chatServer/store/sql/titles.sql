-- name: find_untitled
-- The session of a turn, while it has no title.
select s.session_id, s.agent_name
from chat.turns t join chat.sessions s on s.user_id = t.user_id and s.session_id = t.session_id
where t.user_id = %(user_id)s and t.turn_id = %(turn_id)s and s.title is null;

-- name: set_missing_title
-- Give a title to a session that still has none, while what it is about is still said.
update chat.sessions set title = %(title)s
where user_id = %(user_id)s and session_id = %(session_id)s and title is null
    and cardinality(%(about)s::uuid[]) = (
        select count(*) from public.chat_message_history
        where user_id = %(user_id)s and message_id = any(%(about)s::uuid[]))
returning session_id, agent_name, external_id, title, memory, created_at, last_active_at, archived_at;

-- name: hide_title
-- A title about what recall passes over by now is passed over, too.
update chat.message_index t set is_hidden = true
where t.user_id = %(user_id)s and t.message_id = %(session_id)s::uuid
    and exists (
        select from chat.message_index i
        where i.user_id = %(user_id)s and i.message_id = any(%(about)s::uuid[]) and i.is_hidden);

-- name: name_hidden_title
-- And comes back with it.
update chat.memory_changes c set hidden = c.hidden || %(session_id)s::uuid
where c.user_id = %(user_id)s and not c.undone and c.hidden && %(about)s::uuid[]
    and not %(session_id)s::uuid = any(c.hidden);
