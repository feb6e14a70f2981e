-- name: read_turns
-- How some turns went; one that runs past its lease reads as interrupted.
select turn_id,
    case when state = 'running' and lease_until < now() then 'interrupted' else state end as state,
    reply_message_id, partial_text, error_code, model, usage, revision
from chat.turns
where user_id = %(user_id)s and turn_id = any(%(turn_ids)s);
