-- One record per won opportunity and partner with evidence; reversed when that ends, never deleted.
create table attribution_records (
  org_id text collate "C" not null,
  id text collate "C" not null,
  opportunity_id text collate "C" not null,
  partner_id text collate "C" not null,
  tier text not null check (tier in ('sourced', 'co_sell', 'influenced')),
  status text not null check (status in ('active', 'reversed')),
  -- Set by an accepted dispute: the tier stays whatever the evidence says later.
  pinned boolean not null default false,
  policy_version int not null,
  closed_date date not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id),
  unique (org_id, opportunity_id, partner_id),
  foreign key (org_id, opportunity_id) references opportunities (org_id, id),
  foreign key (org_id, partner_id) references partners (org_id, id),
  foreign key (org_id, policy_version) references organization_settings (org_id, version)
);
-- At most one partner has sourced a deal, whatever the processes do. Deferred, so that two records can change places.
alter table attribution_records add column sourced_opportunity_id text collate "C"
  generated always as (case when tier = 'sourced' and status = 'active' then opportunity_id end) stored;
alter table attribution_records add constraint attribution_one_sourced
  unique (org_id, sourced_opportunity_id) deferrable initially deferred;
create index attribution_by_date on attribution_records (org_id, closed_date desc, id desc);
create index attribution_by_partner on attribution_records (org_id, partner_id, closed_date desc, id desc);
create index attribution_by_tier on attribution_records (org_id, tier, closed_date desc, id desc);

create table attribution_evidence (
  org_id text collate "C" not null,
  record_id text collate "C" not null,
  -- What the line is about: an activity's id, 'pre_intent', or a dispute's id. It keeps its own id as long as that stays.
  subject text collate "C" not null,
  id text collate "C" not null,
  kind text not null,
  tier_supported text,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  summary text not null,
  activity_id text collate "C",
  signal_id text collate "C",
  counted boolean not null,
  reason text not null,
  primary key (org_id, record_id, subject),
  foreign key (org_id, record_id) references attribution_records (org_id, id)
);

create table disputes (
  org_id text collate "C" not null,
  id text collate "C" not null,
  record_id text collate "C" not null,
  status text not null check (status in ('open', 'accepted', 'rejected', 'withdrawn')),
  claimed_tier text not null check (claimed_tier in ('sourced', 'co_sell', 'influenced')),
  tier_at_opening text not null,
  justification text not null,
  opened_by jsonb not null,
  opened_at timestamptz not null,
  resolved_by jsonb,
  resolved_at timestamptz,
  resolution_note text,
  primary key (org_id, id),
  foreign key (org_id, record_id) references attribution_records (org_id, id)
);
create unique index disputes_one_open on disputes (org_id, record_id) where status = 'open';
create index disputes_by_record on disputes (org_id, record_id, opened_at desc, id desc);

-- Which deals of an account a fact can still matter to.
create index opportunities_won on opportunities (org_id, account_id, closed_date) where status = 'won' and deleted_at is null;
create index opportunities_closed on opportunities (org_id, closed_date) where status = 'won' and deleted_at is null;
