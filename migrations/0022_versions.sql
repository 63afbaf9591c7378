-- stop-older-processes
-- Another one with every commit that changes what an organization is shown: as long as it is the same, so are all answers. A
-- process of an older version would not change it.
alter table event_counters add column version text;
