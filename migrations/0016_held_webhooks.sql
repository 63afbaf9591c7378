-- stop-older-processes
-- Only one worker at a time sends to a webhook, and its turn says so. Reading a delivery to send it writes nothing.
alter table turns
  add column held_by text,
  -- When everything that the holder may be sending has ended.
  add column held_until timestamptz not null default '-infinity';
-- What older processes were sending when they were stopped is due when their leases would have ended.
drop index deliveries_leased;
alter table deliveries drop column lease;
