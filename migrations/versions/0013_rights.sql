-- 0013: receipts of erasures; what began before one is refused after it; a user's own jobs can be taken out of the queue.

set local lock_timeout = '5s';

create table chat.erasures (
    user_id    uuid        not null default chat.uid(),
    erased_at  timestamptz not null default clock_timestamp(),
    counts     jsonb       not null,
    primary key (user_id, erased_at)
);
revoke all on chat.erasures from public, anon, authenticated;
grant select, insert on chat.erasures to chat_user;
alter table chat.erasures enable row level security, force row level security;
create policy own_rows on chat.erasures to chat_user
    using (user_id = (select chat.uid())) with check (user_id = (select chat.uid()));

create function chat.in_time(waited_s double precision) returns boolean
    language plpgsql
as $$
begin
    if exists (select from chat.erasures
               where user_id = (select chat.uid()) and erased_at >= now() - make_interval(secs => waited_s)) then
        raise exception sqlstate 'CH410' using message = 'it began before the erasure of what was the user''s';
    end if;
    return true;
end
$$;

create function chat.forget_jobs() returns bigint
    language sql
    security definer
    set search_path = procrastinate, pg_temp
as $$
    with gone as (
        delete from procrastinate_jobs
        where args ->> 'user_id' = chat.uid()::text and status <> 'doing'
        returning id)
    select count(*) from gone
$$;

revoke all on function chat.in_time(double precision), chat.forget_jobs() from public;
grant execute on function chat.in_time(double precision), chat.forget_jobs() to chat_user;
