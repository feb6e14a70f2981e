-- 0020: vectors of messages in four bits a number: recall finds the same. Those that are there stay in vec, and are read
-- from there until they are made anew.

set local lock_timeout = '5s';

alter table chat.message_index add column vec4 bytea;
