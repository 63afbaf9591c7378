-- Replaced secrets, each until the end that its rotation promised. The oldest that still holds signs the body.
create table webhook_previous_secrets (
  org_id text collate "C" not null,
  webhook_id text collate "C" not null,
  number bigint generated always as identity,
  -- Encrypted, bound to the webhook.
  secret bytea not null,
  holds_until timestamptz not null,
  primary key (org_id, webhook_id, number),
  foreign key (org_id, webhook_id) references webhooks (org_id, id) on delete cascade
);
create index webhook_previous_secrets_by_end on webhook_previous_secrets (holds_until);

insert into webhook_previous_secrets (org_id, webhook_id, secret, holds_until)
select org_id, id, previous_secret, previous_until from webhooks where previous_until > now();

alter table webhooks
  drop column previous_secret,
  drop column previous_until,
  -- By kind of event: when it was added to those of the registration. What came before was not missed.
  add column subscribed_at jsonb not null default '{}';

-- What is left of a span of events that is sent again in small steps.
create table redeliveries (
  org_id text collate "C" not null,
  number bigint generated always as identity,
  webhook_id text collate "C" not null,
  which text not null check (which in ('failed', 'missed', 'all')),
  -- The event that was looked at last.
  after_at timestamptz not null,
  after_id text collate "C" not null,
  until timestamptz not null,
  primary key (org_id, number),
  foreign key (org_id, webhook_id) references webhooks (org_id, id) on delete cascade
);
create index redeliveries_in_turn on redeliveries (number);
