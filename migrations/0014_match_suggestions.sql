-- Pairs that may be the same company. Everything here follows from the facts, and is made again when they change.

-- Two rows are compared if they share a key.
create table account_blocks (
  org_id text collate "C" not null,
  key text collate "C" not null,
  account_id text collate "C" not null,
  primary key (org_id, key, account_id)
);
create index account_blocks_by_account on account_blocks (org_id, account_id);

create table partner_account_blocks (
  org_id text collate "C" not null,
  key text collate "C" not null,
  partner_id text collate "C" not null,
  external_id text collate "C" not null,
  primary key (org_id, key, partner_id, external_id)
);
create index partner_account_blocks_by_account on partner_account_blocks (org_id, partner_id, external_id);

create table match_suggestions (
  org_id text collate "C" not null,
  id text collate "C" not null,
  account_id text collate "C" not null,
  partner_id text collate "C" not null,
  external_id text collate "C" not null,
  score real not null,
  -- The score in thousandths; 1000 more where somebody said that a match is wrong.
  rank smallint not null,
  reasons text[] not null,
  suggested_at timestamptz not null,
  primary key (org_id, id)
);
create unique index match_suggestions_by_pair on match_suggestions (org_id, account_id, partner_id, external_id);
create index match_suggestions_by_partner_account on match_suggestions (org_id, partner_id, external_id);
create index match_suggestions_best on match_suggestions (org_id, rank desc, id desc);
create index match_suggestions_best_of_partner on match_suggestions (org_id, partner_id, rank desc, id desc);
create index match_suggestions_best_of_account on match_suggestions (org_id, account_id, rank desc, id desc);

-- Rows whose suggestions are to be made again, many in one: accounts where partner_ids is null, else partner accounts.
create table suggestion_queue (
  org_id text collate "C" not null,
  id uuid not null,
  ids text[] not null,
  partner_ids text[],
  size int not null,
  due_at timestamptz not null,
  primary key (org_id, id)
);
create index suggestion_queue_in_turn on suggestion_queue (org_id, due_at);

insert into suggestion_queue (org_id, id, ids, size, due_at)
select org_id, gen_random_uuid(), array_agg(id), count(*), now() from (
  select org_id, id, (row_number() over (partition by org_id order by id) - 1) / 100 as step
  from accounts where deleted_at is null and merged_into is null
) a group by org_id, step;
insert into suggestion_queue (org_id, id, ids, partner_ids, size, due_at)
select org_id, gen_random_uuid(), array_agg(external_id), array_agg(partner_id), count(*), now() from (
  select org_id, partner_id, external_id,
    (row_number() over (partition by org_id order by partner_id, external_id) - 1) / 100 as step
  from partner_accounts where deleted_at is null
) a group by org_id, step;
