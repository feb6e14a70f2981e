-- name: find_left
-- A finished turn, and what it leaves to be done; each of it is asked again by whoever does it, when he writes.
select t.session_id, t.agent_name, t.attempt, t.user_message_id as question_id,
    coalesce(i.is_hidden, false) as is_forgotten, s.memory = 'on' as has_memory,
    coalesce(t.revision ? 'is_anonymous', false) as is_anonymous, s.title is null as is_untitled,
    coalesce(t.recalled @> '{"items": [{"what": "memory"}]}', false) as has_used,
    t.state in ('done', 'stopped') and s.memory = 'on' and t.user_message_id is not null
        and not coalesce(t.revision ? 'remembered', false) as is_unlearned,
    t.revision_state in ('queued', 'running', 'failed') as is_unrevised,
    array_remove(array[case when a.embed_model is null then a.place end,
                       case when i.embed_model is null then i.place end], null) as unembedded
from chat.turns t
join chat.sessions s on s.user_id = t.user_id and s.session_id = t.session_id
left join chat.message_index i on i.user_id = t.user_id and i.message_id = t.user_message_id
left join chat.message_index a on a.user_id = t.user_id and a.message_id = t.reply_message_id
where t.user_id = %(user_id)s and t.turn_id = %(turn_id)s;
