-- name: who_logs_in
-- What the login role is allowed to do, itself or as a role it may become, and whether our tables are there.
select current_user as role_name, bool_or(r.rolsuper) as is_superuser, bool_or(r.rolbypassrls) as bypasses_rls,
    exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where c.relkind in ('r', 'p') and pg_has_role(current_user, c.relowner, 'member')
                and (n.nspname = 'chat' or n.nspname = 'public' and c.relname = any(%(public_tables)s)))
        as is_owner,
    bool_or(r.rolname = 'chat_user') as may_become_user,
    exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = 'chat' and c.relname = 'alembic_version')
        as is_migrated
from pg_roles r
where pg_has_role(current_user, r.oid, 'member');

-- name: read_schema
-- The revision that the database is at, and whether it takes no writes: a standby, or one that was told so.
select version_num as revision, current_setting('transaction_read_only')::boolean as is_read_only
from chat.alembic_version;
