-- 0016: read version: of which upload the chunks of an article are. Those that are there say 0 until the next one is read:
-- it only has to differ then.

set local lock_timeout = '5s';

alter table chat.articles add column read_version integer not null default 0;
