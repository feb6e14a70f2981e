-- 0011: personal tokens, and memories that come through MCP.

set local lock_timeout = '5s';

-- Tokens that a user makes for clients which cannot sign in themselves: what is kept is a hash, never the secret.
create table chat.personal_tokens (
    user_id       uuid        not null default chat.uid(),
    token_id      uuid        not null,
    name          text        not null check (name <> '' and octet_length(name) <= 400),
    digest        bytea       not null,                     -- SHA-256 of 256 random bits
    scopes        text[]      not null check (scopes <@ array['chat', 'memory'] and cardinality(scopes) between 1 and 2),
    is_anonymous  boolean     not null default false,       -- whoever made it was
    created_at    timestamptz not null default now(),
    expires_at    timestamptz not null,
    last_used_at  timestamptz,                              -- to the hour
    primary key (user_id, token_id)
);

revoke all on chat.personal_tokens from public, anon, authenticated;
grant select, insert, update, delete on chat.personal_tokens to chat_user;
alter table chat.personal_tokens enable row level security, force row level security;
create policy own_rows on chat.personal_tokens to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));

alter table chat.memories drop constraint memories_origin_check;
alter table chat.memories add constraint memories_origin_check
    check (origin in ('rules', 'model', 'user', 'tool', 'import', 'mcp'));
