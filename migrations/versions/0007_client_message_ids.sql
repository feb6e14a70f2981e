-- 0007: a turn keeps what its client calls the question.

set local lock_timeout = '5s';

alter table chat.turns add column client_message_id text;
