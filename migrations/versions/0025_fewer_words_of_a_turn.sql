-- 0025: what a turn asks of Postgres is less: 2.8 instead of 3.5 million instructions a turn.
-- Policies of what each turn looks at compare with chat.uid() as it is. Statements name their user, so Postgres compares the
-- two once for all rows, and plans one node less for each table (docs/decisions/0028).
-- The head of a user's events knows when it began: an erasure takes it, so who began later need not look for receipts.
-- Checks that each turn was written through are of domains, which a connection reads once. Reads chat.turns
-- under a lock, twice, and chat.user_events once: 1.2 s for 300,000 turns and 600,000 events, on a busy machine.

set local lock_timeout = '5s';

alter table chat.user_event_heads add column begun_at timestamptz not null default now();
alter table chat.user_event_heads alter column begun_at set default clock_timestamp();

-- Types first, checks then: a column that becomes of a domain with a check is written anew, row by row.
create domain chat.turn_trigger as text;
create domain chat.turn_state as text;
alter table chat.turns
    drop constraint turns_trigger_check,
    drop constraint turns_state_check,
    alter column trigger type chat.turn_trigger,
    alter column state type chat.turn_state;
alter domain chat.turn_trigger add check (value in ('submit', 'edit', 'regenerate'));
alter domain chat.turn_state add check (value in ('running', 'done', 'failed', 'stopped', 'interrupted'));

create domain chat.revision_state as text check (value in ('none', 'queued', 'running', 'done', 'failed'));
create domain chat.event_kind as text check (value in ('session', 'title', 'turn', 'memory', 'knowledge'));
create domain chat.on_or_off as text check (value in ('on', 'off'));
alter table chat.turns
    drop constraint turns_revision_state_check,
    add constraint turns_revision_state_check check (revision_state::chat.revision_state is not null);
alter table chat.user_events
    drop constraint user_events_kind_check,
    add constraint user_events_kind_check check (kind::chat.event_kind is not null);
alter table chat.sessions
    drop constraint sessions_memory_check,
    add constraint sessions_memory_check check (memory::chat.on_or_off is not null);

alter policy own_rows on public.user_agent_active_sessions using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on public.chat_message_history using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on public.agent_long_term_memory using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on chat.sessions using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on chat.message_index using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on chat.turns using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on chat.turn_events using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on chat.user_events using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on chat.user_event_heads using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on chat.usage_daily using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on chat.user_limits using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on chat.summaries using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on chat.memory_heads using (user_id = chat.uid()) with check (user_id = chat.uid());
alter policy own_rows on chat.erasures using (user_id = chat.uid()) with check (user_id = chat.uid());

create index turns_unfinished on chat.turns (user_id, session_id) where state not in ('done', 'stopped');
