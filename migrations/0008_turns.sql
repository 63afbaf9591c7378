-- stop-older-processes
-- A statement on the data of tenants names one organization. Which organization has work that is due stands in one small
-- table; so all others can be spread over several machines by org_id.

create table turns (
  org_id text collate "C" not null,
  -- The webhook whose deliveries are due; empty for everything else that the organization has to do.
  webhook_id text collate "C" not null default '',
  -- When to look next.
  due_at timestamptz not null,
  -- Of a webhook: when the first of its pending deliveries is due, as far as is known.
  next_at timestamptz not null,
  -- Whoever was served longest ago comes first.
  served_at timestamptz not null default '-infinity',
  -- By whom, until due_at; whoever changes the turn in between makes it null.
  taken_by text,
  -- Of a webhook: as many of its deliveries are under way as may be. Whoever ends one looks again.
  is_full boolean not null default false,
  empty_looks smallint not null default 0,
  primary key (org_id, webhook_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index turns_of_organizations on turns (due_at) where webhook_id = '';
create index turns_of_webhooks on turns (due_at) where webhook_id <> '';

-- What operators do belongs to no organization, but has answers to forget.
insert into turns (org_id, due_at, next_at)
select id, now(), now() from organizations union all select 'operator', now(), now();
insert into turns (org_id, webhook_id, due_at, next_at)
select org_id, webhook_id, min(next_attempt_at), min(next_attempt_at) from deliveries where status = 'pending' group by 1, 2;
alter table webhooks drop column claimed_at;

-- The code counts, in the transaction of the change: a table that is spread has no triggers.
drop trigger signals_added on signals;
drop trigger signals_changed on signals;
drop function count_signals_added;
drop function count_signals_changed;

-- What is spread cannot refer to what is not. No organization is ever deleted.
alter table organization_settings drop constraint organization_settings_org_id_fkey;
alter table partners drop constraint partners_org_id_fkey;
alter table accounts drop constraint accounts_org_id_fkey;
alter table opportunities drop constraint opportunities_org_id_fkey;
alter table events drop constraint events_org_id_fkey;
alter table event_counters drop constraint event_counters_org_id_fkey;
alter table webhooks drop constraint webhooks_org_id_fkey;

-- Numbers that the database gives out would be given out by each machine.
alter table webhook_previous_secrets alter column number drop identity;
drop index redeliveries_in_turn;
alter table redeliveries drop constraint redeliveries_pkey;
alter table redeliveries
  drop column number,
  add column id uuid not null default gen_random_uuid(),
  add column queued_at timestamptz not null default clock_timestamp(),
  add primary key (org_id, id);

-- Everything is looked for inside one organization.
drop index signals_due;
drop index rechecks_due;
drop index webhook_previous_secrets_by_end;
drop index events_by_age;
drop index deliveries_by_age;
drop index idempotency_keys_by_age;
create index deliveries_by_time on deliveries (org_id, created_at);
alter table idempotency_keys add column expires_at timestamptz not null default now() + interval '24 hours';
update idempotency_keys set expires_at = created_at + interval '24 hours';
alter table idempotency_keys alter column expires_at drop default;
create index idempotency_keys_by_end on idempotency_keys (org_id, expires_at);
