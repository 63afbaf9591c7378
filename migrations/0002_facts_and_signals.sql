-- Facts. A withdrawn fact keeps its row (deleted_at): what was made of it still refers to it.

alter table partners add column deleted_at timestamptz, add column source_updated_at timestamptz;
create index partners_by_type_and_tier on partners (org_id, type, tier, name_key, id);

create table accounts (
  org_id text collate "C" not null references organizations (id),
  id text collate "C" not null,
  crm_id text collate "C" not null,
  name text not null,
  domain text,
  extra_domains text[] not null default '{}',
  country text,
  registry_number text,
  -- The account that took over this one's facts; rows that name this one mean that one.
  merged_into text collate "C",
  deleted_at timestamptz,
  source_updated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id),
  unique (org_id, crm_id),
  foreign key (org_id, merged_into) references accounts (org_id, id)
);

create table opportunities (
  org_id text collate "C" not null references organizations (id),
  id text collate "C" not null,
  account_id text collate "C" not null,
  -- Null for the prospective opportunity of an account, which stands in until the CRM has one.
  crm_id text collate "C",
  name text not null,
  value numeric not null check (value >= 0),
  currency text,
  stage text not null,
  status text not null check (status in ('open', 'won', 'lost', 'prospective')),
  opened_at timestamptz,
  closed_date date,
  -- The UTC day of the first evidence on a prospective opportunity: a deal opened before it did not grow out of it.
  first_evidence_on date,
  deleted_at timestamptz,
  source_updated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  check ((status = 'prospective') = (crm_id is null))
);
create unique index opportunities_by_crm_id on opportunities (org_id, crm_id) where crm_id is not null;
create unique index opportunities_prospective on opportunities (org_id, account_id) where crm_id is null;
create index opportunities_open on opportunities (org_id, account_id) where status = 'open' and deleted_at is null;

create table partner_accounts (
  org_id text collate "C" not null,
  partner_id text collate "C" not null,
  external_id text collate "C" not null,
  name text not null,
  domain text,
  country text,
  registry_number text,
  relationship text not null check (relationship in ('customer', 'open_opportunity', 'prospect')),
  deleted_at timestamptz,
  source_updated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, partner_id, external_id),
  foreign key (org_id, partner_id) references partners (org_id, id)
);

create table activities (
  org_id text collate "C" not null,
  id text collate "C" not null,
  external_id text collate "C" not null,
  partner_id text collate "C" not null,
  account_id text collate "C" not null,
  opportunity_id text collate "C",
  kind text not null,
  occurred_at timestamptz not null,
  -- When we learned of it; what the source says about that is kept apart and counts only where it is trusted.
  recorded_at timestamptz not null,
  source_recorded_at timestamptz,
  summary text not null,
  actor text,
  source text,
  deleted_at timestamptz,
  source_updated_at timestamptz,
  primary key (org_id, id),
  unique (org_id, external_id),
  foreign key (org_id, partner_id) references partners (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, opportunity_id) references opportunities (org_id, id)
);
-- Of all rows: a statement that asks for an account and leaves the withdrawn out later can use no other.
create index activities_by_account on activities (org_id, account_id, partner_id, occurred_at desc, id desc);
create index activities_by_partner on activities (org_id, partner_id, occurred_at desc, id desc) where deleted_at is null;

-- Matching: two rows match where they share a key.

create table account_keys (
  org_id text collate "C" not null,
  key text collate "C" not null,
  account_id text collate "C" not null,
  kind text not null,
  primary key (org_id, key, account_id),
  foreign key (org_id, account_id) references accounts (org_id, id)
);
create index account_keys_by_account on account_keys (org_id, account_id);

create table partner_account_keys (
  org_id text collate "C" not null,
  key text collate "C" not null,
  partner_id text collate "C" not null,
  external_id text collate "C" not null,
  primary key (org_id, key, partner_id, external_id),
  foreign key (org_id, partner_id, external_id) references partner_accounts (org_id, partner_id, external_id)
);
create index partner_account_keys_by_account on partner_account_keys (org_id, partner_id, external_id);

create table matches (
  org_id text collate "C" not null,
  partner_id text collate "C" not null,
  account_id text collate "C" not null,
  external_id text collate "C" not null,
  kind text not null,
  key text not null,
  confidence real not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (org_id, account_id, partner_id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, partner_id, external_id) references partner_accounts (org_id, partner_id, external_id)
);
create index matches_by_partner on matches (org_id, partner_id, started_at desc, account_id desc) where ended_at is null;
create index matches_by_partner_account on matches (org_id, partner_id, external_id) where ended_at is null;

-- Signals.

create table signals (
  org_id text collate "C" not null,
  id text collate "C" not null,
  type text not null check (type in ('co_sell', 'overlap', 'pre_intent')),
  state text not null check (state in ('new', 'in_progress', 'handled', 'expired')),
  partner_id text collate "C" not null,
  account_id text collate "C" not null,
  opportunity_id text collate "C" not null,
  fired_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_by text check (ended_by in ('handled', 'dismissed', 'time', 'facts')),
  rank smallint not null,
  recommended_action text not null,
  reasons jsonb not null,
  updated_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, partner_id) references partners (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, opportunity_id) references opportunities (org_id, id)
);
-- At most one active signal of a kind on a deal, whatever the processes do.
create unique index signals_active on signals (org_id, account_id, partner_id, type, opportunity_id)
  where state in ('new', 'in_progress');
create index signals_feed on signals (org_id, fired_at desc, id desc);
create index signals_by_type_state on signals (org_id, type, state, fired_at desc, id desc);
create index signals_by_partner on signals (org_id, partner_id, type, state, fired_at desc, id desc);
-- Its last columns pick out the signals of one partner, type or state without a look at the rows of the others.
create index signals_by_account on signals (org_id, account_id, fired_at desc, id desc, partner_id, type, state);
create index signals_due on signals (expires_at) where state = 'new';

create table signal_changes (
  org_id text collate "C" not null,
  signal_id text collate "C" not null,
  number int not null,
  from_state text not null,
  to_state text not null,
  note text,
  -- All null where the service itself made the change.
  key_id text collate "C",
  key_name text,
  actor text,
  changed_at timestamptz not null,
  primary key (org_id, signal_id, number),
  foreign key (org_id, signal_id) references signals (org_id, id)
);

-- How many signals each partner has of each type and state. Kept by triggers in the transaction of the change, so
-- that a count costs the same however many signals there are and always agrees with the list.
create table signal_counts (
  org_id text collate "C" not null,
  partner_id text collate "C" not null,
  type text not null,
  state text not null,
  count bigint not null,
  primary key (org_id, partner_id, type, state)
);

-- Changes meet the counts in one order, so that two transactions never wait for each other.
create function count_signals_added() returns trigger language plpgsql as $$
begin
  insert into signal_counts as c (org_id, partner_id, type, state, count)
  select org_id, partner_id, type, state, count(*) from added group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (org_id, partner_id, type, state) do update set count = c.count + excluded.count;
  return null;
end $$;

create function count_signals_changed() returns trigger language plpgsql as $$
begin
  insert into signal_counts as c (org_id, partner_id, type, state, count)
  select org_id, partner_id, type, state, sum(n) from (
    select org_id, partner_id, type, state, 1 as n from added
    union all select org_id, partner_id, type, state, -1 from removed
  ) d group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
  on conflict (org_id, partner_id, type, state) do update set count = c.count + excluded.count;
  return null;
end $$;

create trigger signals_added after insert on signals
  referencing new table as added for each statement execute function count_signals_added();
create trigger signals_changed after update on signals
  referencing new table as added old table as removed for each statement execute function count_signals_changed();

-- Pairs of partner and account to evaluate again at some time: evidence held back by the quiet, a renamed partner.
create table rechecks (
  org_id text collate "C" not null,
  account_id text collate "C" not null,
  partner_id text collate "C" not null,
  due_at timestamptz not null,
  primary key (org_id, account_id, partner_id)
);
create index rechecks_due on rechecks (due_at);
create index rechecks_of_organization on rechecks (org_id, due_at);

-- Events, written with their cause.
create table events (
  org_id text collate "C" not null references organizations (id),
  id text collate "C" not null,
  kind text not null,
  -- json and not jsonb: the text stays as it was written, and with it the bytes that every delivery sends.
  data json not null,
  -- False for what a backfill caused: it is in the log, and is sent to nobody.
  deliver boolean not null,
  -- A reader of the log goes by the transaction, not by the time: what commits late must not be skipped.
  transaction xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null,
  primary key (org_id, id)
);
create index events_in_order on events (org_id, transaction, id);
