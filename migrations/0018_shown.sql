-- stop-older-processes
-- What the list item of a signal shows of its account and its deal, as JSON text: a page of signals is read without them.
alter table signals add column shown text;

update signals s set shown = d.shown from (
  select s.org_id, s.id,
    '"account":{"id":' || to_json(a.id) || ',"name":' || to_json(a.name) || ',"crm_id":' || to_json(a.crm_id)
      || '},"opportunity":{"id":' || to_json(o.id) || ',"name":' || to_json(o.name) || ',"value":' || to_json(o.value)
      || ',"currency":' || coalesce(to_json(o.currency)::text, 'null') || ',"stage":' || to_json(o.stage)
      || '},"owner":' || coalesce(coalesce(o.owner, a.owner)::text, 'null')
      || ',"fired_at":"' || to_char(s.fired_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"' as shown
  from signals s
  join accounts a on a.org_id = s.org_id and a.id = s.account_id
  join opportunities o on o.org_id = s.org_id and o.id = s.opportunity_id
) d where d.org_id = s.org_id and d.id = s.id;

alter table signals alter column shown set not null;

-- The signals on a deal, wherever the deal has been: it may have moved from another account.
create index signals_by_opportunity on signals (org_id, opportunity_id);
-- What refers to a deal is looked for when the prospective one of an account that is merged into another goes.
create index activities_by_opportunity on activities (org_id, opportunity_id) where opportunity_id is not null;
