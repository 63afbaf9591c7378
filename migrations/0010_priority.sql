-- What to do first. Null parts: the signal was not priced yet.
alter table signals
  add column priority smallint not null default 0,
  add column priority_parts jsonb,
  -- When the newest evidence happened; null for signals of older versions, where it is the day on which they fired.
  add column evidence_at timestamptz;

-- Only active signals have a priority.
create index signals_by_priority on signals (org_id, type, state, priority desc, fired_at desc, id desc)
  where state in ('new', 'in_progress');
create index signals_by_partner_priority on signals (org_id, partner_id, type, state, priority desc, fired_at desc, id desc)
  where state in ('new', 'in_progress');

-- What is large for an organization, and when its signals are priced again.
create table priority_scales (
  org_id text collate "C" primary key,
  -- The amounts that 5%, 10%, ... 100% of the open deals do not exceed, in one currency.
  amounts float8[] not null default '{}',
  -- What one unit of each currency is worth in it; "" for deals without a currency.
  rates jsonb not null default '{}',
  -- Of how many deals it was made, and how many have changed since.
  deals int not null default 0,
  changed_deals int not null default 0,
  due_at timestamptz not null default now(),
  -- Account, partner, type and opportunity of the last signal that was priced again; null where that has not begun.
  walked_to text[]
);
insert into priority_scales (org_id) select id from organizations;
