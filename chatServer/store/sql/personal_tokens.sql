-- Whoever makes a token holds the user's row of chat.user_limits, so that those of one user are counted one by one.

-- name: find_token
-- A token by its id, while it is taken.
select token_id, name, digest, scopes, is_anonymous, created_at, expires_at, last_used_at
from chat.personal_tokens
where user_id = %(user_id)s and token_id = %(token_id)s and expires_at > now();

-- name: list_tokens
-- The tokens of a user, the newest first, also those that are over.
select token_id, name, digest, scopes, is_anonymous, created_at, expires_at, last_used_at
from chat.personal_tokens
where user_id = %(user_id)s
order by created_at desc, token_id desc;

-- name: insert_token
-- A new token.
insert into chat.personal_tokens (user_id, token_id, name, digest, scopes, is_anonymous, expires_at)
values (%(user_id)s, %(token_id)s, %(name)s, %(digest)s, %(scopes)s, %(is_anonymous)s, now() + %(lives)s)
returning token_id, name, digest, scopes, is_anonymous, created_at, expires_at, last_used_at;

-- name: count_tokens
-- How many there are that are still taken.
select count(*) from chat.personal_tokens where user_id = %(user_id)s and expires_at > now();

-- name: mark_used
-- It was used in this hour, unless that is known.
update chat.personal_tokens set last_used_at = now()
where user_id = %(user_id)s and token_id = %(token_id)s
    and (last_used_at is null or last_used_at < now() - interval '1 hour');

-- name: delete_expired_tokens
-- Tokens that were over long ago.
delete from chat.personal_tokens where user_id = %(user_id)s and expires_at < now() - %(kept_for)s::interval;

-- name: delete_token
-- A token ends.
delete from chat.personal_tokens where user_id = %(user_id)s and token_id = %(token_id)s returning token_id;
