-- When a person first did something about a signal (set its state or assigned it), and when somebody first took it up.
alter table signals add column first_action_at timestamptz, add column taken_up_at timestamptz;

update signals s set first_action_at = c.first_action_at, taken_up_at = c.taken_up_at
from (
  select org_id, signal_id, min(changed_at) as first_action_at,
    min(changed_at) filter (where to_state <> from_state and to_state in ('in_progress', 'handled')) as taken_up_at
  from signal_changes
  where key_id is not null and (to_state <> from_state or assignee is not null)
  group by org_id, signal_id
) c
where s.org_id = c.org_id and s.id = c.signal_id;
