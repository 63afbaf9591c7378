-- Whose deal it is, from the CRM, and who works on a signal: { name, email }. Keys are e-mail addresses in lower case.
alter table accounts add column owner jsonb, add column owner_key text;
alter table opportunities add column owner jsonb, add column owner_key text;
-- The owner of a signal is that of its deal, else that of its account.
alter table signals add column owner_key text, add column assignee jsonb, add column assignee_key text;
-- Null where a change left the assignee alone; the JSON null where nobody is assigned any more.
alter table signal_changes add column assignee jsonb;

create index signals_by_owner on signals (org_id, owner_key, type, state, fired_at desc, id desc)
  where owner_key is not null;
create index signals_by_owner_priority on signals (org_id, owner_key, type, state, priority desc, fired_at desc, id desc)
  where owner_key is not null and state in ('new', 'in_progress');
create index signals_by_assignee on signals (org_id, assignee_key, type, state, fired_at desc, id desc)
  where assignee_key is not null;
create index signals_by_assignee_priority on signals (org_id, assignee_key, type, state, priority desc, fired_at desc, id desc)
  where assignee_key is not null and state in ('new', 'in_progress');
