-- name: read_notes
-- The page of a user and an agent.
select agent_name, notes, version, updated_at
from public.agent_long_term_memory
where user_id = %(user_id)s and agent_name = %(agent_name)s;

-- name: insert_notes
-- An empty page, before its first version, or nothing when there is one.
insert into public.agent_long_term_memory (user_id, agent_name, notes, version)
values (%(user_id)s, %(agent_name)s, '', 0)
on conflict (user_id, agent_name) do nothing;

-- name: lock_notes
-- The same page, held until the transaction ends: writers go one after the other.
select agent_name, notes, version, updated_at
from public.agent_long_term_memory
where user_id = %(user_id)s and agent_name = %(agent_name)s
for update;

-- name: lock_attempt
-- The turn, if this attempt of it runs; whoever ends it, deletes it or takes it over waits for the transaction.
select turn_id from chat.turns
where user_id = %(user_id)s and turn_id = %(turn_id)s and attempt = %(attempt)s and state = 'running'
for share;

-- name: find_version_of_turn
-- What a turn has done to the page for this reason before.
select version from chat.notes_versions
where user_id = %(user_id)s and agent_name = %(agent_name)s and turn_id = %(turn_id)s and reason = %(reason)s
limit 1;

-- name: keep_state
-- The state that is about to be replaced, unless it is a version already: the first empty page, or one that came from elsewhere.
insert into chat.notes_versions (user_id, agent_name, version, notes, operation, actor)
select user_id, agent_name, version, notes, 'found', 'system'
from public.agent_long_term_memory
where user_id = %(user_id)s and agent_name = %(agent_name)s
on conflict (user_id, agent_name, version) do nothing;

-- name: update_notes
-- The page gets its next version.
update public.agent_long_term_memory set notes = %(notes)s, version = version + 1, updated_at = now()
where user_id = %(user_id)s and agent_name = %(agent_name)s
returning agent_name, notes, version, updated_at;

-- name: insert_version
-- What the page became: who did it, how and why.
insert into chat.notes_versions
    (user_id, agent_name, version, notes, operation, actor, reason, turn_id, attempt, untrusted_turn)
values (%(user_id)s, %(agent_name)s, %(version)s, %(notes)s, %(operation)s, %(actor)s, %(reason)s,
    %(turn_id)s, %(attempt)s, %(untrusted_turn)s);

-- name: list_versions
-- A page of versions without their text, the newest first.
select version, operation, actor, reason, turn_id, attempt, untrusted_turn, created_at,
    octet_length(notes) as size_bytes
from chat.notes_versions
where user_id = %(user_id)s and agent_name = %(agent_name)s and version < coalesce(%(before)s, 2147483647)
order by version desc
limit %(limit)s;

-- name: read_version
-- One version with its text.
select version, operation, actor, reason, turn_id, attempt, untrusted_turn, created_at,
    octet_length(notes) as size_bytes, notes
from chat.notes_versions
where user_id = %(user_id)s and agent_name = %(agent_name)s and version = %(version)s;

-- name: find_pages_of_attempt
-- The agents whose page a turn has written to, up to an attempt.
select distinct agent_name
from chat.notes_versions
where user_id = %(user_id)s and turn_id = %(turn_id)s and attempt <= %(attempt)s and actor = 'agent'
order by agent_name;

-- name: read_version_before_attempt
-- The newest version of a page that is not one of the turn's, up to an attempt.
select version, operation, actor, reason, turn_id, attempt, untrusted_turn, created_at,
    octet_length(notes) as size_bytes, notes
from chat.notes_versions
where user_id = %(user_id)s and agent_name = %(agent_name)s
    and not (actor = 'agent' and turn_id is not distinct from %(turn_id)s and attempt <= %(attempt)s)
order by version desc
limit 1;
