-- 0014: articles: what was uploaded, and its text in chunks that a search looks through.

set local lock_timeout = '5s';
set local search_path = public, extensions;

create table chat.articles (
    user_id       uuid        not null default chat.uid(),
    article_id    uuid        not null,
    name          text        not null check (name <> '' and octet_length(name) <= 1024),  -- never a path
    title         text        not null,
    media_type    text        not null,
    size_bytes    integer     not null,
    content_hash  text        not null,                     -- SHA-256 of the last upload
    version       integer     not null default 1,           -- the number of the last upload
    state         text        not null default 'waiting' check (state in ('waiting', 'reading', 'ready', 'failed')),
    error_code    text,
    error         text,
    pages         integer,
    tokens        integer     not null default 0,           -- of all chunks that answer now
    chunks        integer     not null default 0,           -- how many these are
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    primary key (user_id, article_id),
    unique (user_id, name)
);

create table chat.article_files (
    user_id     uuid     not null default chat.uid(),
    article_id  uuid     not null,
    part        integer  not null,
    bytes       bytea    not null,
    primary key (user_id, article_id, part),
    foreign key (user_id, article_id) references chat.articles (user_id, article_id) on delete cascade
);
alter table chat.article_files alter column bytes set storage external;  -- most files are compressed already

create table chat.article_chunks (
    user_id      uuid      not null default chat.uid(),
    article_id   uuid      not null,
    position     integer   not null,
    page         integer,                                   -- where it begins, from 1; null: there are none
    heading      text      not null default '',             -- the headings above it: Guide > Setup
    text         text      not null,
    tokens       integer   not null,
    tsv          tsvector  not null,
    embed_model  text,
    vec          halfvec,
    primary key (user_id, article_id, position),
    foreign key (user_id, article_id) references chat.articles (user_id, article_id) on delete cascade
);
alter table chat.article_chunks alter column tsv set storage plain, alter column vec set storage main;

revoke all on chat.articles, chat.article_files, chat.article_chunks from public, anon, authenticated;
grant select, insert, update, delete on chat.articles, chat.article_files, chat.article_chunks to chat_user;
alter table chat.articles enable row level security, force row level security;
alter table chat.article_files enable row level security, force row level security;
alter table chat.article_chunks enable row level security, force row level security;
create policy own_rows on chat.articles to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.article_files to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy own_rows on chat.article_chunks to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));
create policy shared_rows on chat.articles for select to chat_user
    using (user_id = '00000000-0000-0000-0000-000000000000');
create policy shared_rows on chat.article_chunks for select to chat_user
    using (user_id = '00000000-0000-0000-0000-000000000000');

create function chat.enqueue_ingest(article_id uuid) returns void
    language plpgsql
    security definer
    set search_path = procrastinate, pg_temp
as $$
begin
    if chat.uid() is null then
        raise insufficient_privilege using message = 'nobody has no articles';
    end if;
    insert into procrastinate_jobs (queue_name, task_name, priority, lock, args)
    values ('chat', 'ingest', -1, chat.uid() || ':articles',
            jsonb_build_object('user_id', chat.uid(), 'article_id', article_id));
end
$$;
revoke all on function chat.enqueue_ingest(uuid) from public;
grant execute on function chat.enqueue_ingest(uuid) to chat_user;

grant select (user_id) on chat.articles to chat_jobs;
create policy ids_and_models on chat.articles for select to chat_jobs using (true);
