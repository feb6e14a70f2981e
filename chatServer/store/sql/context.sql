-- name: read_context
-- What stands before the window in a prompt: notes, the session's summary, and whether there are articles to look into.
select notes.notes, summary.summary, summary.covers_to,
    exists (select from chat.articles where user_id = any (array[%(user_id)s, %(shared_id)s]::uuid[]) and chunks > 0)
        as has_articles
from (select 1) as always
left join public.agent_long_term_memory notes
    on notes.user_id = %(user_id)s and notes.agent_name = %(agent_name)s
left join chat.summaries summary
    on summary.user_id = %(user_id)s and summary.session_id = %(session_id)s;
