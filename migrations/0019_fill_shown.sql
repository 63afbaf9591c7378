-- One organization after the other: each has all of its rows on one machine.
do $$
declare
  organization text;
begin
  for organization in select id from organizations loop
    with r as (
      select s.id,
        '"account":{"id":' || to_json(a.id) || ',"name":' || to_json(a.name) || ',"crm_id":' || to_json(a.crm_id)
          || '},"opportunity":{"id":' || to_json(o.id) || ',"name":' || to_json(o.name) || ',"value":' || to_json(o.value)
          || ',"currency":' || coalesce(to_json(o.currency)::text, 'null') || ',"stage":' || to_json(o.stage)
          || '},"owner":' || coalesce(coalesce(o.owner, a.owner)::text, 'null')
          || ',"fired_at":"' || to_char(s.fired_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
          || '","recommended_action":' || to_json(s.recommended_action) as shown
      from signals s
      join accounts a on a.org_id = organization and a.id = s.account_id
      join opportunities o on o.org_id = organization and o.id = s.opportunity_id
      where s.org_id = organization
    )
    update signals s set shown = r.shown from r where s.org_id = organization and s.id = r.id;
  end loop;
end $$;
