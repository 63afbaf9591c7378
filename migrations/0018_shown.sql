-- stop-older-processes
-- Most of the list item of a signal, as JSON text: a page of signals is read without accounts and deals.
alter table signals add column shown text;

-- The signals on a deal, wherever the deal has been: it may have moved from another account.
create index signals_by_opportunity on signals (org_id, opportunity_id);
-- What refers to a deal is looked for when the prospective one of an account that is merged into another goes.
create index activities_by_opportunity on activities (org_id, opportunity_id) where opportunity_id is not null;
