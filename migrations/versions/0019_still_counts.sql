-- 0019: a turn ends in one round trip: what it may not write fails with it.

set local lock_timeout = '5s';

-- For an attempt at a turn that ends: it raises when the turn no longer was this attempt's to end.
create or replace function chat.still_counts(is_so boolean) returns boolean
    language plpgsql
as $$
begin
    if not is_so then
        raise exception sqlstate 'CH409' using message = 'the turn was taken over, or is gone';
    end if;
    return true;
end
$$;

revoke all on function chat.still_counts(boolean) from public;
grant execute on function chat.still_counts(boolean) to chat_user;
