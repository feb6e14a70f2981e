-- What Supabase Auth needs of a plain Postgres, run once as the owner when the database is made.
-- It makes its own tables at its first start, in the schema auth; chatServer never reads them.

\set ON_ERROR_STOP on
\getenv auth_password AUTH_DB_PASSWORD
\getenv database POSTGRES_DB

create role supabase_auth_admin login noinherit password :'auth_password';
create schema auth authorization supabase_auth_admin;
grant create on database :"database" to supabase_auth_admin;
alter role supabase_auth_admin set search_path = auth;
