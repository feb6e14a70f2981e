-- 0015: one summary at a time: a session says until when somebody makes its own.

set local lock_timeout = '5s';

alter table chat.sessions add column summarising_until timestamptz;
