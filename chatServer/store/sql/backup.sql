-- name: sees_all_rows
-- Whether row level security leaves this login alone.
select rolsuper or rolbypassrls from pg_roles where rolname = current_user;

-- name: has_our_tables
-- Whether there is anything of ours in this database.
select to_regclass('chat.alembic_version') is not null;

-- name: list_our_tables
-- The tables that a backup holds, by the names that they are called here.
select c.oid::regclass::text
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and c.relname <> 'alembic_version'
    and (n.nspname = 'chat' or n.nspname = 'public' and c.relname = any(%(public_tables)s));

-- name: list_unread_articles
-- Whose files wait to be read, or were being read; in the order in which each user sent his.
select user_id, article_id from chat.articles where state in ('waiting', 'reading') order by updated_at, article_id;

-- name: end_tokens
-- No personal token of anybody is taken any more.
delete from chat.personal_tokens;
