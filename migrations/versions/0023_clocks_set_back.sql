-- 0023: a receipt of an erasure that lies ahead refuses nobody.
-- The clock was set back since. By how much a clock is set without anybody's notice, a receipt may lie ahead and counts:
-- else who began before the erasure could write after it.

set local lock_timeout = '5s';

create or replace function chat.in_time(waited_s double precision) returns boolean
    language plpgsql
as $$
begin
    if exists (select from chat.erasures
               where user_id = (select chat.uid()) and erased_at >= now() - make_interval(secs => waited_s)
                   and erased_at < clock_timestamp() + interval '1 second') then
        raise exception sqlstate 'CH410' using message = 'it began before the erasure of what was the user''s';
    end if;
    return true;
end
$$;
