-- name: read_context
-- What stands before the window in a prompt: the notes of a user and agent, and the session's summary.
select notes.notes, summary.summary, summary.covers_to
from (select 1) as always
left join public.agent_long_term_memory notes
    on notes.user_id = %(user_id)s and notes.agent_name = %(agent_name)s
left join chat.summaries summary
    on summary.user_id = %(user_id)s and summary.session_id = %(session_id)s;
