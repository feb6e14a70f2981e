-- Whoever learns from a turn holds its session's row: so do those who replace or delete messages.

-- name: claim_learning
-- The turn, if nothing was learned from it yet and all of its messages are still said where memory is on.
update chat.turns t set revision = coalesce(revision, '{}') || '{"remembered": {}}'
where t.user_id = %(user_id)s and t.turn_id = %(turn_id)s and not coalesce(t.revision ? 'remembered', false)
    and exists (
        select 1 from chat.sessions s
        where s.user_id = %(user_id)s and s.session_id = t.session_id and s.memory = 'on')
    and cardinality(%(message_ids)s::uuid[]) = (
        select count(*) from public.chat_message_history h
        where h.user_id = %(user_id)s and h.turn_id = %(turn_id)s and h.message_id = any(%(message_ids)s::uuid[]))
returning t.turn_id;

-- name: keep_learned
-- What was learned from a turn: ids and numbers.
update chat.turns set revision = coalesce(revision, '{}') || %(learned)s
where user_id = %(user_id)s and turn_id = %(turn_id)s;

-- name: hold_turn
-- The turn after which something is learned, if it was not deleted, and all that it is learned from is still said and not forgotten.
select t.turn_id from chat.turns t
where t.user_id = %(user_id)s and t.turn_id = %(turn_id)s and t.attempt = coalesce(%(attempt)s, t.attempt)
    and cardinality(%(message_ids)s::uuid[]) = (
        select count(*) from public.chat_message_history h
        left join chat.message_index i on i.user_id = h.user_id and i.message_id = h.message_id
        where h.user_id = %(user_id)s and h.message_id = any(%(message_ids)s::uuid[])
            and not coalesce(i.is_hidden, false))
for share;
