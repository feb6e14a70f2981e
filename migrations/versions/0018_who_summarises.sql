-- 0018: whether it is a job that makes a session's summary: another job takes the place of one that was killed.

set local lock_timeout = '5s';

alter table chat.sessions add column is_summarised_by_job boolean not null default false;
