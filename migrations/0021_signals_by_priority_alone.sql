-- The list by priority without a filter: the other index has one order for each type and state, six to be merged for a page.
create index signals_first on signals (org_id, priority desc, fired_at desc, id desc) where state in ('new', 'in_progress');
