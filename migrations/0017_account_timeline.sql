-- A page of what partners did on an account, however much they did there.
create index activities_by_account_time on activities (org_id, account_id, occurred_at desc, id desc) where deleted_at is null;
