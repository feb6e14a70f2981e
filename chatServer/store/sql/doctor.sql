-- name: read_extension
-- The version of pgvector in this database, the one that the server could install, and the server's clock.
select (select extversion from pg_extension where extname = 'vector') as installed,
    (select default_version from pg_available_extensions where name = 'vector') as available,
    extract(epoch from clock_timestamp())::float8 as epoch_s;

-- name: list_faulty_tables
-- Our tables with what is wrong about each: row level security not forced, closed to chat_user, open to a browser.
select c.oid::regclass::text as table_name,
    not (c.relrowsecurity and c.relforcerowsecurity) as is_unforced,
    not has_table_privilege('chat_user', c.oid, 'select') as is_closed,
    exists (select from pg_roles r where r.rolname in ('anon', 'authenticated')
            and has_table_privilege(r.oid, c.oid, 'insert, update, delete, truncate')) as is_open
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and c.relname <> 'alembic_version' and exists (select from pg_roles where rolname = 'chat_user')
    and (n.nspname = 'chat' or n.nspname = 'public' and c.relname = any(%(public_tables)s))
order by 1;

-- name: read_embedding
-- Which embedder the vectors are of.
select model, size from chat.embedding where user_id = %(user_id)s;
