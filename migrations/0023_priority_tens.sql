-- The newest active signals of at least some priority are merged from a list for each whole ten of priorities, and one for each
-- priority of the ten that is asked for in part: 19 lists at most instead of 101.
create index signals_by_tens on signals (org_id, type, state, (priority / 10), fired_at desc, id desc)
  where state in ('new', 'in_progress');
create index signals_by_partner_tens on signals (org_id, partner_id, type, state, (priority / 10), fired_at desc, id desc)
  where state in ('new', 'in_progress');
create index signals_by_owner_tens on signals (org_id, owner_key, type, state, (priority / 10), fired_at desc, id desc)
  where owner_key is not null and state in ('new', 'in_progress');
create index signals_by_assignee_tens on signals (org_id, assignee_key, type, state, (priority / 10), fired_at desc, id desc)
  where assignee_key is not null and state in ('new', 'in_progress');
