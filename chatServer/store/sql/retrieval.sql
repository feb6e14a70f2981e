-- Own articles and everybody's are asked for apart, under the id of whoever they belong to. A word that is not of ASCII
-- is looked for by its beginning, since its ending may be another. Of who has so many chunks that they are not kept in
-- the process, Postgres looks at every one: 25 ms of CPU for 10,000 (2026-11-15).

-- name: list_stamps
-- The articles of one owner that can be read, each with its upload or import and its size; the words as numbers.
select array_agg(article_id order by article_id), array_agg(read_version || '.' || chunks order by article_id),
    coalesce(sum(chunks), 0)::integer,
    (select array_agg(hashtext(word) order by place)
     from unnest(%(words)s::text[]) with ordinality as asked (word, place))
from chat.articles
where user_id = %(user_id)s and chunks > 0;

-- name: load_chunks
-- All that some articles of one owner are found by, packed: places, tokens, vectors, and words as numbers.
select count(*)::integer, string_agg(uuid_send(article_id), ''::bytea), string_agg(int4send(position), ''::bytea),
    string_agg(int4send(tokens), ''::bytea), string_agg(int4send((vec is not null)::integer), ''::bytea),
    string_agg(halfvec_send(vec), ''::bytea), string_agg(int4send(octet_length(words) / 4), ''::bytea),
    string_agg(words, ''::bytea)
from (
    select c.article_id, c.position, c.tokens,
        case when c.embed_model = %(model)s and vector_dims(c.vec) = %(size)s then c.vec end as vec,
        (select coalesce(string_agg(int4send(hashtext(
                    case when octet_length(word) > length(word) then left(word, %(letters)s) else word end)), ''::bytea),
                ''::bytea)
         from unnest(tsvector_to_array(c.tsv)) as word) as words
    from chat.article_chunks c
    where c.user_id = %(user_id)s and c.article_id = any(%(ids)s::uuid[])
    order by c.article_id, c.position
) chunk;

-- name: score_chunks
-- Every chunk of one owner, packed: its article, place and tokens, how near its vector is, a bit for each word it has.
select count(*)::integer, string_agg(uuid_send(article_id), ''::bytea), string_agg(int4send(position), ''::bytea),
    string_agg(int4send(tokens), ''::bytea), string_agg(float4send(near), ''::bytea),
    string_agg(int2send(words), ''::bytea)
from (
    select article_id, position, tokens,
        case when embed_model = %(model)s and vector_dims(vec) = %(size)s
             then coalesce(-(vec <#> %(vector)s::halfvec), 0) else 0 end::real as near,
        ((tsv @@ %(word_0)s::tsquery)::integer + 2 * (tsv @@ %(word_1)s::tsquery)::integer
            + 4 * (tsv @@ %(word_2)s::tsquery)::integer + 8 * (tsv @@ %(word_3)s::tsquery)::integer
            + 16 * (tsv @@ %(word_4)s::tsquery)::integer + 32 * (tsv @@ %(word_5)s::tsquery)::integer
            + 64 * (tsv @@ %(word_6)s::tsquery)::integer + 128 * (tsv @@ %(word_7)s::tsquery)::integer)::smallint
            as words
    from chat.article_chunks
    where user_id = %(user_id)s
) chunk;

-- name: read_heads
-- What some articles of one owner are called, and how much of each there is to read.
select article_id, name, title, media_type, tokens, chunks
from chat.articles
where user_id = %(user_id)s and article_id = any(%(ids)s::uuid[]) and chunks > 0;

-- name: read_chunks
-- Some chunks as they are now; the lists say which one of which article.
select c.article_id, c.position, c.page, c.heading, c.text, c.tokens
from unnest(%(ids)s::uuid[], %(positions)s::integer[]) as wanted (article_id, position)
cross join lateral (
    select article_id, position, page, heading, text, tokens
    from chat.article_chunks
    where user_id = %(user_id)s and article_id = wanted.article_id and position = wanted.position
    limit 1) c;
