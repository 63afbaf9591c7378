-- stop-older-processes
-- An older process would write facts without a key and records without a share.

-- Facts can be read by name. What is written from now on is folded by the code; for what is there already this comes as
-- close as the database can, until the fact changes next.
alter table accounts add column name_key text collate "C" not null default '';
alter table opportunities add column name_key text collate "C" not null default '';
update accounts set name_key = left(btrim(lower(regexp_replace(normalize(name, nfkd), '[\u0300-\u036f]', '', 'g'))), 200);
update opportunities set name_key = left(btrim(lower(regexp_replace(normalize(name, nfkd), '[\u0300-\u036f]', '', 'g'))), 200)
where crm_id is not null;
create index accounts_by_name on accounts (org_id, name_key, id) where deleted_at is null and merged_into is null;
create index opportunities_by_status on opportunities (org_id, status, name_key, id)
  where crm_id is not null and deleted_at is null;
create index opportunities_by_account on opportunities (org_id, account_id, name_key, id)
  where crm_id is not null and deleted_at is null;

-- One unit of base is worth so many of quote.
create table exchange_rates (
  org_id text collate "C" not null,
  date date not null,
  base text collate "C" not null,
  quote text collate "C" not null,
  rate numeric not null check (rate > 0),
  deleted_at timestamptz,
  source_updated_at timestamptz,
  primary key (org_id, date, base, quote)
);

-- What of the deal's value is credited to the partner; all of it, under every policy so far.
alter table attribution_records add column credited_value numeric not null default 0;
update attribution_records r set credited_value = o.value from opportunities o
where o.org_id = r.org_id and o.id = r.opportunity_id and r.status = 'active';

-- The one export that an organization has under way; whoever holds it says so again before it expires.
create table exports (
  org_id text collate "C" primary key,
  id text collate "C" not null,
  claimed_at timestamptz not null,
  expires_at timestamptz not null
);
