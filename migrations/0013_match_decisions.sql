-- What people say about an account and a partner's account: one decision stands for each pair, and all are kept.
create table match_decisions (
  org_id text collate "C" not null,
  id text collate "C" not null,
  account_id text collate "C" not null,
  partner_id text collate "C" not null,
  external_id text collate "C" not null,
  decision text not null check (decision in ('same', 'different')),
  note text,
  -- The kind of match that the decision was about; null where there was none.
  matched_by text,
  decided_by jsonb not null,
  decided_at timestamptz not null,
  -- Superseded by a newer one, or taken back.
  ended_as text check (ended_as in ('superseded', 'taken_back')),
  ended_by jsonb,
  ended_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, partner_id, external_id) references partner_accounts (org_id, partner_id, external_id)
);
create unique index match_decisions_current on match_decisions (org_id, account_id, partner_id, external_id)
  where ended_at is null;
create index match_decisions_by_partner_account on match_decisions (org_id, partner_id, external_id, id);
create index match_decisions_by_partner on match_decisions (org_id, partner_id, id);
create index match_decisions_by_account on match_decisions (org_id, account_id, id);

-- The spellings that a partner's account had when somebody said that it is the same: its later rows are known by them.
create table match_aliases (
  org_id text collate "C" not null,
  partner_id text collate "C" not null,
  key text collate "C" not null,
  decision_id text collate "C" not null,
  primary key (org_id, partner_id, key, decision_id),
  foreign key (org_id, decision_id) references match_decisions (org_id, id)
);
create index match_aliases_by_decision on match_aliases (org_id, decision_id);

-- With the kind, so that matches are counted by kind without a look at their rows.
drop index matches_by_partner;
create index matches_by_partner on matches (org_id, partner_id, started_at desc, account_id desc) include (kind)
  where ended_at is null;
