create table webhooks (
  org_id text collate "C" not null references organizations (id),
  id text collate "C" not null,
  url text not null,
  events text[] not null,
  status text not null check (status in ('enabled', 'disabled')),
  disabled_reason text,
  -- Encrypted, each bound to its row. While a rotation overlaps, the previous one still signs the body.
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz,
  -- Since when it has had nothing but failures.
  failing_since timestamptz,
  -- For turns: whoever was served longest ago comes first.
  claimed_at timestamptz not null default '-infinity',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);

create table deliveries (
  org_id text collate "C" not null,
  id text collate "C" not null,
  webhook_id text collate "C" not null,
  -- Null for a test, which carries its own body and is no event of the organization.
  event_id text collate "C",
  test_body text,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  -- While a worker holds it: the end of the lease. A worker that dies simply lets it run out.
  next_attempt_at timestamptz,
  lease text,
  response_code smallint,
  response_body text,
  error text,
  latency_ms int,
  created_at timestamptz not null,
  attempted_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, webhook_id) references webhooks (org_id, id) on delete cascade,
  foreign key (org_id, event_id) references events (org_id, id) on delete cascade,
  check ((event_id is null) = (test_body is not null)),
  check ((status = 'pending') = (next_attempt_at is not null))
);
create index deliveries_due on deliveries (org_id, webhook_id, next_attempt_at) where status = 'pending';
create index deliveries_leased on deliveries (org_id, webhook_id, next_attempt_at) where lease is not null;
create index deliveries_by_webhook on deliveries (org_id, webhook_id, id desc);
create unique index deliveries_by_event on deliveries (org_id, event_id, webhook_id) where event_id is not null;
create index deliveries_by_age on deliveries (created_at);
create index events_by_age on events (created_at);
create index events_by_time on events (org_id, created_at);
