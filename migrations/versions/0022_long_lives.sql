-- 0022: what is asked of one user is planned as for one who has said much.
-- A statement that is prepared is planned once for all users, by what one has on the average. Where many have said
-- little, that is nothing, and by such plans a page of a history, or what is known of its turns, was found by looking
-- at all that its user ever said: 100,000 rows for 20. So, for plans, everybody has a two-hundredth of a table.

set local lock_timeout = '5s';

alter table chat.sessions alter column user_id set (n_distinct = 200);
alter table public.chat_message_history alter column user_id set (n_distinct = 200);
alter table chat.message_superseded alter column user_id set (n_distinct = 200);
alter table chat.message_index alter column user_id set (n_distinct = 200);
alter table chat.message_images alter column user_id set (n_distinct = 200);
alter table chat.turns alter column user_id set (n_distinct = 200);
alter table chat.turn_events alter column user_id set (n_distinct = 200);
alter table chat.user_events alter column user_id set (n_distinct = 200);
alter table chat.notes_versions alter column user_id set (n_distinct = 200);
alter table chat.summaries alter column user_id set (n_distinct = 200);
alter table chat.usage_daily alter column user_id set (n_distinct = 200);
alter table chat.memories alter column user_id set (n_distinct = 200);
alter table chat.memory_changes alter column user_id set (n_distinct = 200);
alter table chat.articles alter column user_id set (n_distinct = 200);
alter table chat.article_chunks alter column user_id set (n_distinct = 200);

-- It counts from the next look on, which for a table that hardly grows may be in months. One that is empty is better
-- planned for while nobody has looked.
do $look$
declare
    each regclass;
begin
    for each in
        select attrelid from pg_attribute a join pg_class c on c.oid = a.attrelid
        where a.attoptions @> '{n_distinct=200}' and c.reltuples > 0
    loop
        execute format('analyze %s', each);
    end loop;
end
$look$;
