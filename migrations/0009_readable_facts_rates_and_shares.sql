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
