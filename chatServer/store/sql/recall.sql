-- Columns come packed: one row holds a whole piece, each column as the bytes that Postgres itself would send, one value
-- after the other. 10,000 items are read so in a few milliseconds; as rows they were ten times that.

-- Each way to a row is a branch of its own with its own index, and what belongs to it is looked up row by row. With an
-- OR, or with plain joins, Postgres looks at every row of the user, since it takes places and users for independent of
-- each other: 40 ms instead of 1 at 10,000 messages (2026-11-15).

-- name: plan_once
-- Planning these statements takes five times as long as running them, and comes to the same plan every time.
set local plan_cache_mode = force_generic_plan;

-- name: walk_the_index
-- Rows come by their index in its order, and no more than are wanted, also where statistics are missing or old.
set local enable_sort = off;

-- name: fetch_one_by_one
-- The other half of that.
set local enable_bitmapscan = off;

-- name: read_clock
-- How far the user's memories and messages have come, what of it is too much to tell, what is no more, and the time.
select coalesce((select seq from chat.memory_heads where user_id = %(user_id)s), 0) as seq,
    extract(epoch from now())::float8 as now_s,
    coalesce((select extract(epoch from max(erased_at))::float8 from chat.erasures
              where user_id = %(user_id)s), 0) as erased_s,
    exists (select from chat.sessions
            where user_id = %(user_id)s and session_id = %(asking)s and memory = 'off') as is_off,
    coalesce((select max(place) from chat.message_index where user_id = %(user_id)s), 0) as place,
    (select place from chat.message_index where user_id = %(user_id)s and place > %(after)s
     order by place desc offset %(limit)s limit 1) as place_missed,
    (select seq from chat.memories where user_id = %(user_id)s and seq > %(after_seq)s
     order by seq desc offset %(limit)s limit 1) as seq_missed,
    array(select distinct c.memory_id from chat.memory_changes c
          where c.user_id = %(user_id)s and c.seq > %(after_seq)s
              and not exists (select from chat.memories m where m.user_id = c.user_id and m.memory_id = c.memory_id)
          limit %(limit)s) as gone;

-- name: glance
-- Whether anything can have come since: how far memories have come, the last erasure, and the newest messages.
select coalesce((select seq from chat.memory_heads where user_id = %(user_id)s), 0) as seq,
    coalesce((select extract(epoch from max(erased_at))::float8 from chat.erasures
              where user_id = %(user_id)s), 0) as erased_s,
    array(select message_id::text from chat.message_index
          where user_id = %(user_id)s and place > %(after)s
          order by place desc
          limit %(limit)s) as newest;

-- name: load_messages
-- A piece of what recall finds messages by, the newest first.
select count(*)::integer, string_agg(uuid_send(message_id), ''::bytea), string_agg(int8send(place), ''::bytea),
    string_agg(float8send(extract(epoch from said_at)::float8), ''::bytea), string_agg(int4send(chars), ''::bytea),
    array_agg(session_id), array_agg(agent_name), array_agg(role), array_agg(speaker),
    string_agg(int4send(octet_length(terms)), ''::bytea), string_agg(terms, ''::bytea),
    string_agg(int4send((vec is not null)::integer), ''::bytea), string_agg(vec, ''::bytea)
from (
    select i.message_id, i.place, i.said_at, i.chars, i.session_id, coalesce(i.agent_name, s.agent_name) as agent_name,
        i.role, i.speaker, i.terms,
        case when i.embed_model = %(model)s then coalesce(i.vec4, halfvec_send(i.vec)) end as vec
    from chat.message_index i
    cross join lateral (
        select memory, agent_name from chat.sessions
        where user_id = %(user_id)s and session_id = i.session_id
        limit 1) s
    where i.user_id = %(user_id)s and i.place < %(before)s and i.terms is not null
        and not i.is_hidden and i.role <> 'quote' and s.memory = 'on'
    order by i.place desc
    limit %(limit)s
) newest;

-- name: load_memories
-- A piece of what recall finds memories by, the last changed first; those too that something has replaced.
select count(*)::integer, string_agg(uuid_send(memory_id), ''::bytea), string_agg(int8send(seq), ''::bytea),
    string_agg(float8send(extract(epoch from valid_from)::float8), ''::bytea),
    string_agg(int4send(length(text)), ''::bytea),
    array_agg(session_id), array_agg(agent_name), array_agg(trust), array_agg(shelf),
    string_agg(int4send(octet_length(terms)), ''::bytea), string_agg(terms, ''::bytea),
    string_agg(int4send((vec is not null)::integer), ''::bytea), string_agg(halfvec_send(vec), ''::bytea),
    string_agg(float4send(importance), ''::bytea), string_agg(int4send((tier = 'long')::integer), ''::bytea),
    string_agg(float8send(case when valid_to <= now() then extract(epoch from valid_to)::float8
                               else 'infinity' end), ''::bytea),
    array_agg(subject), array_agg(object),
    array_agg(case when valid_to > now() or (valid_to is null and expires_at is not null) then ''
                   else array_to_string(source_ids, ' ') end)
from (
    select memory_id, seq, valid_from, text, session_id, agent_name, trust, shelf, terms, importance, tier, valid_to,
        subject, object, source_ids, expires_at, case when embed_model = %(model)s then vec end as vec
    from chat.memories
    where user_id = %(user_id)s and seq < %(before)s and (expires_at is null or expires_at > now())
    order by seq desc
    limit %(limit)s
) newest;

-- name: load_news
-- All that an index does not know: how far the user's things have come, and what of them came or changed since.
-- Of messages also what got its vector, or was hidden or shown by a change to memories; of memories also those that had
-- no vector then. In one statement, and so as of one moment.
with clock as (
    select coalesce((select seq from chat.memory_heads where user_id = %(user_id)s), 0) as seq,
        extract(epoch from now())::float8 as now_s,
        exists (select from chat.sessions
                where user_id = %(user_id)s and session_id = %(asking)s and memory = 'off') as is_off,
        coalesce((select max(place) from chat.message_index where user_id = %(user_id)s), 0) as place,
        (select place from chat.message_index where user_id = %(user_id)s and place > %(after)s
         order by place desc offset %(limit)s limit 1) as place_missed,
        (select seq from chat.memories where user_id = %(user_id)s and seq > %(after_seq)s
         order by seq desc offset %(limit)s limit 1) as seq_missed,
        coalesce((select extract(epoch from max(erased_at))::float8 from chat.erasures
                  where user_id = %(user_id)s), 0) as erased_s,
        array(select distinct c.memory_id from chat.memory_changes c
              where c.user_id = %(user_id)s and c.seq > %(after_seq)s
                  and not exists (select from chat.memories m where m.user_id = c.user_id and m.memory_id = c.memory_id)
              limit %(limit)s) as gone
), told as (
    (select message_id, place, said_at, chars, session_id, agent_name, role, speaker, terms, is_hidden,
        case when embed_model = %(model)s then coalesce(vec4, halfvec_send(vec)) end as vec
    from chat.message_index
    where user_id = %(user_id)s and place > %(after)s
    order by place desc
    limit %(limit)s)
    union all
    select message_id, place, said_at, chars, session_id, agent_name, role, speaker, terms, is_hidden,
        case when embed_model = %(model)s then coalesce(vec4, halfvec_send(vec)) end as vec
    from chat.message_index
    where user_id = %(user_id)s and place <= %(after)s and message_id = any(array(
        select unnest(%(lacking_messages)s::uuid[])
        union all
        select unnest(hidden) from chat.memory_changes where user_id = %(user_id)s and seq > %(after_seq)s
        union all
        select unnest(forgot.hidden)
        from chat.memory_changes back
        cross join lateral (
            select hidden from chat.memory_changes
            where user_id = %(user_id)s and memory_id = back.memory_id and seq <= %(after_seq)s and undone
            offset 0) forgot  -- so that Postgres does not begin with all that was ever undone
        where back.user_id = %(user_id)s and back.seq > %(after_seq)s and back.operation = 'restored'))
), said as (
    select count(*)::integer as size, string_agg(uuid_send(message_id), ''::bytea) as ids,
        string_agg(int8send(place), ''::bytea) as places,
        string_agg(float8send(extract(epoch from said_at)::float8), ''::bytea) as times,
        string_agg(int4send(chars), ''::bytea) as characters, array_agg(session_id) as sessions,
        array_agg(agent_name) as agents, array_agg(role) as roles, array_agg(speaker) as speakers,
        string_agg(int4send(octet_length(terms)), ''::bytea) as term_bytes, string_agg(terms, ''::bytea) as terms,
        string_agg(int4send((vec is not null)::integer), ''::bytea) as has_vector,
        string_agg(vec, ''::bytea) as vectors
    from (
        select t.message_id, t.place, t.said_at, t.chars, t.session_id,
            coalesce(t.agent_name, s.agent_name) as agent_name, t.role, t.speaker, t.terms, t.vec
        from told t
        cross join lateral (
            select memory, agent_name from chat.sessions
            where user_id = %(user_id)s and session_id = t.session_id
            limit 1) s
        where s.memory = 'on' and t.terms is not null and not t.is_hidden and t.role <> 'quote'
            and t.message_id not in (select unnest(%(known)s::uuid[]))
            and (t.vec is not null
                 or t.message_id not in (select unnest(%(lacking_messages)s::uuid[] || %(waiting)s::uuid[])))
        order by t.place desc
    ) newest
), noted as (
    select count(*)::integer as size, string_agg(uuid_send(memory_id), ''::bytea) as ids,
        string_agg(int8send(seq), ''::bytea) as places,
        string_agg(float8send(extract(epoch from valid_from)::float8), ''::bytea) as times,
        string_agg(int4send(length(text)), ''::bytea) as characters, array_agg(session_id) as sessions,
        array_agg(agent_name) as agents, array_agg(trust) as roles, array_agg(shelf) as speakers,
        string_agg(int4send(octet_length(terms)), ''::bytea) as term_bytes, string_agg(terms, ''::bytea) as terms,
        string_agg(int4send((vec is not null)::integer), ''::bytea) as has_vector,
        string_agg(halfvec_send(vec), ''::bytea) as vectors,
        string_agg(float4send(importance), ''::bytea) as importances,
        string_agg(int4send((tier = 'long')::integer), ''::bytea) as is_long,
        string_agg(float8send(case when valid_to <= now() then extract(epoch from valid_to)::float8
                                   else 'infinity' end), ''::bytea) as ends,
        array_agg(subject) as subjects, array_agg(object) as objects,
        array_agg(case when valid_to > now() or (valid_to is null and expires_at is not null) then ''
                       else array_to_string(source_ids, ' ') end) as sources
    from (
        select memory_id, seq, valid_from, text, session_id, agent_name, trust, shelf, terms, importance, tier,
            valid_to, subject, object, source_ids, expires_at, case when embed_model = %(model)s then vec end as vec
        from (
            (select memory_id, seq, valid_from, text, session_id, agent_name, trust, shelf, terms, importance, tier,
                valid_to, subject, object, source_ids, embed_model, vec, expires_at
            from chat.memories
            where user_id = %(user_id)s and seq > %(after_seq)s
            order by seq desc
            limit %(limit)s)
            union all
            select known.memory_id, seq, valid_from, text, session_id, agent_name, trust, shelf, terms, importance,
                tier, valid_to, subject, object, source_ids, embed_model, vec, expires_at
            from unnest(%(lacking_memories)s::uuid[]) as lacks (memory_id)
            cross join lateral (
                select memory_id, seq, valid_from, text, session_id, agent_name, trust, shelf, terms, importance, tier,
                    valid_to, subject, object, source_ids, embed_model, vec, expires_at
                from chat.memories
                where user_id = %(user_id)s and memory_id = lacks.memory_id
                limit 1) known
            where seq <= %(after_seq)s
        ) m
        where expires_at is null or expires_at > now()
        order by seq desc
    ) newest
)
select clock.seq, clock.now_s, clock.is_off, clock.place, clock.place_missed, clock.seq_missed, clock.erased_s,
    clock.gone, said.size, said.ids, said.places, said.times, said.characters, said.sessions, said.agents, said.roles,
    said.speakers, said.term_bytes, said.terms, said.has_vector, said.vectors, noted.size, noted.ids, noted.places,
    noted.times, noted.characters, noted.sessions, noted.agents, noted.roles, noted.speakers, noted.term_bytes,
    noted.terms, noted.has_vector, noted.vectors, noted.importances, noted.is_long, noted.ends, noted.subjects,
    noted.objects, noted.sources
from clock cross join said cross join noted;

-- name: read_live_messages
-- Messages as they are now, those found and those that came since and are not known, where this agent may look.
select h.message_id, h.created_at, h.session_id, s.title, i.role, i.speaker,
    case when jsonb_typeof(h.message #> '{data,content}') = 'string'
         then left(h.message #>> '{data,content}', %(characters)s) end as text,
    case when jsonb_typeof(h.message #> '{data,content}') <> 'string' then h.message::text end as message
from (
    select user_id, message_id, agent_name, role, speaker, place, is_hidden
    from chat.message_index
    where user_id = %(user_id)s and message_id = any(%(ids)s::uuid[])
    union all
    (select user_id, message_id, agent_name, role, speaker, place, is_hidden
    from chat.message_index
    where user_id = %(user_id)s and place > %(after)s
        and message_id not in (select unnest(%(ids)s::uuid[] || %(excluded)s::uuid[] || %(known)s::uuid[]))
        and (embed_model = %(model)s and (vec4 is not null or vec is not null)
             or message_id not in (select unnest(%(waiting)s::uuid[])))
    order by place desc
    limit %(limit)s)
) i
cross join lateral (
    select message_id, session_id, created_at, message
    from public.chat_message_history
    where user_id = %(user_id)s and message_id = i.message_id
    limit 1) h
cross join lateral (
    select case when exists (
            select from chat.message_index t
            where t.user_id = %(user_id)s and t.message_id = sessions.session_id::uuid and t.is_hidden)
            then '' else nullif(title, '') end as title, memory, agent_name
    from chat.sessions
    where user_id = %(user_id)s and session_id = h.session_id
    limit 1) s
where i.place is not null and not i.is_hidden and i.role <> 'quote' and s.memory = 'on'
    and (%(agent_name)s::text is null or coalesce(i.agent_name, s.agent_name) = %(agent_name)s)
    and coalesce(i.agent_name, s.agent_name) <> all(%(closed)s::text[])
    and (%(session_id)s::text is null or h.session_id = %(session_id)s);

-- name: read_live_memories
-- Memories as they are now, those found and those that changed since, on the shelves from which this agent takes.
-- And how tools went lately: of the memories that name none but these, the last failure and the last success. The keys
-- of such begin alike, and so are between these two in every collation; in their order, for else Postgres may take
-- another index, where statistics are missing or old: 8 ms instead of 0.1 at 10,000 memories (2026-11-15).
with asked as (
    select false as is_lesson, memory_id, text, kind, category, trust, origin, valid_from, valid_to, superseded_by,
        session_id, source_ids, shelf, expires_at, created_at, updated_at, seq, false as is_failure
    from chat.memories
    where user_id = %(user_id)s and memory_id = any(%(ids)s::uuid[])
    union all
    (select false as is_lesson, memory_id, text, kind, category, trust, origin, valid_from, valid_to, superseded_by,
        session_id, source_ids, shelf, expires_at, created_at, updated_at, seq, false as is_failure
    from chat.memories
    where user_id = %(user_id)s and seq > %(after_seq)s and memory_id <> all(%(ids)s::uuid[])
    order by seq desc
    limit %(limit)s)
    union all
    select true as is_lesson, l.memory_id, l.text, l.kind, l.category, l.trust, l.origin, l.valid_from, l.valid_to,
        l.superseded_by, l.session_id, l.source_ids, l.shelf, l.expires_at, l.created_at, l.updated_at, l.seq,
        'tool_failure' = any(l.tags) as is_failure
    from unnest(%(shelves)s::text[]) as reached (shelf)
    cross join lateral (
        select memory_id, text, kind, category, trust, origin, valid_from, valid_to, superseded_by, session_id,
            source_ids, shelf, expires_at, created_at, updated_at, seq, tags
        from chat.memories
        where user_id = %(user_id)s and shelf = reached.shelf and valid_to is null
            and fact_key >= 'tools|tool_' and fact_key < 'tools|tool_z' and origin = 'tool'
        order by fact_key
        limit %(among)s) l
    where l.tags && %(tools)s::text[] and l.tags <@ %(marks)s::text[] and l.updated_at > now() - %(fresh_for)s::interval
), live as (
    select a.memory_id, a.text, a.kind, a.category, a.trust, a.origin, a.valid_from, a.valid_to, a.superseded_by,
        a.session_id, s.title, a.source_ids, a.updated_at, a.created_at, a.is_lesson, a.is_failure, a.seq
    from asked a
    left join lateral (
        select case when exists (
                select from chat.message_index t
                where t.user_id = %(user_id)s and t.message_id = sessions.session_id::uuid and t.is_hidden)
                then '' else nullif(title, '') end as title, memory
        from chat.sessions
        where user_id = %(user_id)s and session_id = a.session_id
        limit 1) s on true
    where a.shelf = any(%(shelves)s::text[]) and (a.expires_at is null or a.expires_at > now())
        and coalesce(s.memory, 'on') = 'on'
)
select is_lesson, memory_id, text, kind, category, trust, origin, valid_from, valid_to, superseded_by, session_id,
    title, source_ids, case when origin = 'user' and session_id is not null then updated_at end as corrected_at,
    created_at
from live
where not is_lesson
union all
(select distinct on (is_failure) is_lesson, memory_id, text, kind, category, trust, origin, valid_from, valid_to,
    superseded_by, session_id, title, source_ids, null as corrected_at, null as created_at
from live
where is_lesson
order by is_failure desc, seq desc);
