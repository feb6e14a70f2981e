-- 0008: what has expired is found without reading all that has not.

set local lock_timeout = '5s';

create index turn_events_by_age on chat.turn_events using brin (created_at);
create index user_events_by_age on chat.user_events using brin (created_at);
