-- Whoever changes an article holds its row first. Shared ones are the nil UUID's, whom every statement that only reads
-- names beside the user as shared_id; nobody but the operator's command is ever that user.

-- name: hold_article
-- The article of a name, until the transaction ends.
select article_id, name, title, media_type, size_bytes, content_hash, version, state, error_code, error, pages, tokens,
    chunks, created_at, updated_at, user_id = %(shared_id)s as is_shared
from chat.articles
where user_id = %(user_id)s and name = %(name)s
for update;

-- name: put_article
-- An upload: a new article, or the next version of the one with this name, which answers as it was until this is read.
insert into chat.articles as known (user_id, article_id, name, title, media_type, size_bytes, content_hash)
values (%(user_id)s, %(article_id)s, %(name)s, %(name)s, %(media_type)s, %(size_bytes)s, %(content_hash)s)
on conflict (user_id, name) do update
set version = known.version + 1, state = 'waiting', error_code = null, error = null, media_type = excluded.media_type,
    size_bytes = excluded.size_bytes, content_hash = excluded.content_hash, updated_at = excluded.updated_at
returning article_id, name, title, media_type, size_bytes, content_hash, version, state, error_code, error, pages, tokens,
    chunks, created_at, updated_at, user_id = %(shared_id)s as is_shared;

-- name: forget_file
-- What was uploaded goes once it is read, has failed, or something else was uploaded.
delete from chat.article_files where user_id = %(user_id)s and article_id = %(article_id)s;

-- name: put_part
-- A part of what was uploaded.
insert into chat.article_files (user_id, article_id, part, bytes)
values (%(user_id)s, %(article_id)s, %(part)s, %(bytes)s);

-- name: read_part
-- A part of what was uploaded, of the version that is being read.
select f.bytes
from chat.article_files f
join chat.articles a on a.user_id = f.user_id and a.article_id = f.article_id
where f.user_id = %(user_id)s and f.article_id = %(article_id)s and f.part = %(part)s and a.version = %(version)s;

-- name: count_articles
-- How many articles, how many chunks, and the bytes of all that waits to be read.
select count(*) as articles, coalesce(sum(chunks), 0)::bigint as chunks,
    coalesce(sum(size_bytes) filter (where state in ('waiting', 'reading')), 0)::bigint as waiting_bytes
from chat.articles
where user_id = %(user_id)s;

-- name: begin_reading
-- The article of a job, if it still has something to be read.
update chat.articles set state = 'reading', updated_at = now()
where user_id = %(user_id)s and article_id = %(article_id)s and state in ('waiting', 'reading')
returning article_id, name, title, media_type, size_bytes, content_hash, version, state, error_code, error, pages, tokens,
    chunks, created_at, updated_at, user_id = %(shared_id)s as is_shared;

-- name: make_ready
-- It is read; nothing, when it was deleted or replaced meanwhile.
update chat.articles
set state = 'ready', title = %(title)s, pages = %(pages)s, tokens = %(tokens)s, chunks = %(chunks)s, error_code = null,
    error = null, read_version = version, updated_at = now()
where user_id = %(user_id)s and article_id = %(article_id)s and version = %(version)s
    and state in ('waiting', 'reading')
returning article_id;

-- name: fail
-- It cannot be read; what was read before stays.
update chat.articles set state = 'failed', error_code = %(error_code)s, error = %(error)s, updated_at = now()
where user_id = %(user_id)s and article_id = %(article_id)s and version = %(version)s
    and state in ('waiting', 'reading')
returning article_id;

-- name: forget_chunks
-- The text of an article, with its vectors.
delete from chat.article_chunks where user_id = %(user_id)s and article_id = %(article_id)s;

-- name: put_chunks
-- Some of the text of an article.
insert into chat.article_chunks
    (user_id, article_id, position, page, heading, text, tokens, tsv, embed_model, vec)
select %(user_id)s, %(article_id)s, position, page, heading, text, tokens,
    array_to_tsvector(string_to_array(words, ' ')), case when vec is not null then %(model)s end, vec::halfvec
from unnest(%(positions)s::integer[], %(pages)s::integer[], %(headings)s::text[], %(texts)s::text[],
            %(tokens)s::integer[], %(words)s::text[], %(vectors)s::text[])
    as given (position, page, heading, text, tokens, words, vec);

-- name: list_articles
-- The user's articles and shared ones, the newest first.
select article_id, name, title, media_type, size_bytes, content_hash, version, state, error_code, error, pages, tokens,
    chunks, created_at, updated_at, user_id = %(shared_id)s as is_shared
from chat.articles
where (user_id = %(user_id)s or user_id = %(shared_id)s)
    and (%(before)s::uuid is null or article_id < %(before)s)
order by article_id desc
limit %(limit)s;

-- name: list_readable
-- What the user's articles and shared ones are called, where they have text; the newest first.
select title, name
from chat.articles
where (user_id = %(user_id)s or user_id = %(shared_id)s) and chunks > 0
order by article_id desc
limit %(limit)s;

-- name: find_article
-- One article, the user's or a shared one.
select article_id, name, title, media_type, size_bytes, content_hash, version, state, error_code, error, pages, tokens,
    chunks, created_at, updated_at, user_id = %(shared_id)s as is_shared
from chat.articles
where (user_id = %(user_id)s or user_id = %(shared_id)s) and article_id = %(article_id)s;

-- name: delete_article
-- An article with its file, its text and its vectors.
delete from chat.articles where user_id = %(user_id)s and article_id = %(article_id)s
returning article_id;

-- name: find_lacking_chunks
-- Chunks without a vector of this embedder, in the order of their key, with what they are embedded with.
select c.article_id, c.position, c.heading, c.text, a.title
from chat.article_chunks c
join chat.articles a on a.user_id = c.user_id and a.article_id = c.article_id
where c.user_id = %(user_id)s and (c.article_id, c.position) > (%(after_id)s, %(after_position)s)
    and (%(article_id)s::uuid is null or c.article_id = %(article_id)s) and c.embed_model is distinct from %(model)s
order by c.article_id, c.position
limit %(limit)s;

-- name: write_chunk_vectors
-- Vectors of chunks that are still what they were.
update chat.article_chunks c
set vec = given.vec::halfvec, embed_model = %(model)s
from unnest(%(article_ids)s::uuid[], %(positions)s::integer[], %(texts)s::text[], %(vectors)s::text[])
    as given (article_id, position, text, vec)
where c.user_id = %(user_id)s and c.article_id = any(%(article_ids)s::uuid[])
    and c.article_id = given.article_id and c.position = given.position and c.text = given.text;
