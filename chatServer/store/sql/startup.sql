-- name: who_logs_in
-- What the login role is allowed to do, and whether our tables are there.
select current_user as role_name, r.rolsuper as is_superuser, r.rolbypassrls as bypasses_rls,
    exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = 'chat' and c.relname = 'sessions' and pg_has_role(current_user, c.relowner, 'member'))
        as is_owner,
    exists (select from pg_roles u where u.rolname = 'chat_user' and pg_has_role(current_user, u.oid, 'member'))
        as may_become_user,
    exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = 'chat' and c.relname = 'alembic_version')
        as is_migrated
from pg_roles r
where r.rolname = current_user;

-- name: read_revision
-- The revision that the database is at.
select version_num from chat.alembic_version;
