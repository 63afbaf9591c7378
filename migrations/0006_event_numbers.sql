-- stop-older-processes
-- Each organization's events are numbered in the order of their commits, and the feed goes by that number.

create table event_counters (
  org_id text collate "C" primary key references organizations (id),
  last_number bigint not null
);

-- Beside the events and not in them: an event is written with its cause, its number only right before the commit.
create table event_numbers (
  org_id text collate "C" not null,
  number bigint not null,
  event_id text collate "C" not null,
  primary key (org_id, number),
  unique (org_id, event_id)
);

insert into event_numbers (org_id, number, event_id)
select org_id, row_number() over (partition by org_id order by transaction, id), id from events;
insert into event_counters (org_id, last_number) select org_id, max(number) from event_numbers group by org_id;

-- Renamed for a process of an older version that was missed: it would write events without a number. So it fails.
alter table events rename column deliver to deliverable;
alter table events drop column transaction;

-- Signals expire one organization at a time, since a transaction numbers the events of one.
create index signals_due_of_organization on signals (org_id, expires_at) where state = 'new';
