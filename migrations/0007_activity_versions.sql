-- Counts the edits of an activity: with the ids of a partner's activities on an account it tells one state of the log
-- from every other, without a look at what the activities say.
alter table activities add column version int not null default 1;
