-- 0020: vectors of messages as whole numbers of one byte, which is what recall compares. Those that are there stay in
-- vec, and are read from there until they are made anew.

set local lock_timeout = '5s';

alter table chat.message_index add column vec8 bytea;
