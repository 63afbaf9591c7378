-- The data model of Partner Signals.
--
-- Organizations are tenants. The key of every table with their data begins with org_id, and so does every foreign key
-- between such tables. On Citus, all these tables are distributed by org_id, except api_keys, due_webhooks and
-- due_organizations: those are searched before the organization is known. A distributed table can have no trigger, no
-- sequence and no reference to a table that is not distributed, so the code keeps the counts and checks that the
-- organization exists.
--
-- Identifiers and keys are text in the "C" collation: they compare byte by byte, whatever the locale of the database.
--
-- Facts are never deleted. A source withdraws a fact (deleted_at), and signals and credit still refer to its row.
-- source_updated_at is the time of the version that the source sent last. An older version that arrives later is ignored.

-- ---------------------------------------------------------------------------------------------------------------------
-- Organizations and keys
-- ---------------------------------------------------------------------------------------------------------------------

-- A tenant. Operators create and change it. Nothing deletes it.
create table organizations (
  id text collate "C" primary key,
  name text not null,
  plan text not null check (plan in ('standard', 'enterprise')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- One version of an organization's settings. Creating the organization writes version 1, and each change of the settings
-- writes the next version. Nothing deletes a version, because each credit names the version that decided it.
create table organization_settings (
  org_id text collate "C" not null,
  version int not null,
  settings jsonb not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  primary key (org_id, version)
);

-- An API key. Operators and admin keys create and revoke keys. Nothing deletes one: the history of signals refers to it.
create table api_keys (
  org_id text collate "C" not null references organizations (id),
  id text collate "C" not null,
  name text not null,
  scopes text[] not null,
  -- SHA-256 of the key. The key has 190 random bits, so a slow hash would add nothing.
  hash bytea not null unique,
  -- When the key was first seen where other people can read it, for example in a URL.
  exposed_at timestamptz,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (org_id, id)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Facts: what the CRM and the partners' systems say. Ingest writes them.
-- ---------------------------------------------------------------------------------------------------------------------

-- A partner of the organization.
create table partners (
  org_id text collate "C" not null,
  id text collate "C" not null,
  external_id text collate "C" not null,
  name text not null,
  -- The name folded for sorting and searching, so that the order does not depend on the locale of the database.
  name_key text collate "C" not null,
  type text not null check (type in ('solution_provider', 'technology_partner', 'hyperscaler', 'gsi')),
  tier smallint not null check (tier between 1 and 4),
  domain text,
  deleted_at timestamptz,
  source_updated_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, id),
  unique (org_id, external_id)
);
-- The list of partners, unfiltered and by each combination of its filters.
create index partners_by_name on partners (org_id, name_key, id);
create index partners_by_type on partners (org_id, type, name_key, id);
create index partners_by_tier on partners (org_id, tier, name_key, id);
create index partners_by_type_and_tier on partners (org_id, type, tier, name_key, id);

-- A company in the CRM.
create table accounts (
  org_id text collate "C" not null,
  id text collate "C" not null,
  crm_id text collate "C" not null,
  name text not null,
  name_key text collate "C" not null default '',
  domain text,
  extra_domains text[] not null default '{}',
  country text,
  registry_number text,
  -- { name, email }; the key is the e-mail address in lower case.
  owner jsonb,
  owner_key text,
  -- The account that took over the facts of this one. Rows that name this one mean that one.
  merged_into text collate "C",
  deleted_at timestamptz,
  source_updated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id),
  unique (org_id, crm_id),
  foreign key (org_id, merged_into) references accounts (org_id, id)
);
-- The list of accounts, and the search by the beginning of a name.
create index accounts_by_name on accounts (org_id, name_key, id) where deleted_at is null and merged_into is null;

-- A deal in the CRM, or the prospective deal of an account: an account with evidence but no open deal gets one, so that
-- a pre-intent signal has a deal to refer to. The next deal from the CRM takes its row over. A merge of two accounts deletes
-- the prospective deal of the one that goes, if both have one.
create table opportunities (
  org_id text collate "C" not null,
  id text collate "C" not null,
  -- Null for a prospective deal.
  crm_id text collate "C",
  account_id text collate "C" not null,
  name text not null,
  -- Empty for a prospective deal, which no list shows.
  name_key text collate "C" not null default '',
  value numeric not null check (value >= 0),
  currency text,
  stage text not null,
  status text not null check (status in ('open', 'won', 'lost', 'prospective')),
  -- { name, email }; the key is the e-mail address in lower case.
  owner jsonb,
  owner_key text,
  opened_at timestamptz,
  closed_date date,
  -- Of a prospective deal: the UTC day of the first evidence. A deal that was opened earlier does not take it over.
  first_evidence_on date,
  deleted_at timestamptz,
  source_updated_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  check ((status = 'prospective') = (crm_id is null))
);
-- Ingest finds a deal by its CRM ID, and search by the beginning of it.
create unique index opportunities_by_crm_id on opportunities (org_id, crm_id) where crm_id is not null;
-- An account has at most one prospective deal.
create unique index opportunities_prospective on opportunities (org_id, account_id) where crm_id is null;
-- The lists of deals.
create index opportunities_by_status on opportunities (org_id, status, name_key, id)
  where crm_id is not null and deleted_at is null;
create index opportunities_by_account on opportunities (org_id, account_id, name_key, id)
  where crm_id is not null and deleted_at is null;
-- The open deals of an account, for the signals, and a sample of all open deals, for the priority scale.
create index opportunities_open on opportunities (org_id, account_id) where status = 'open' and deleted_at is null;
-- The won deals of an account that a changed fact can matter to.
create index opportunities_won on opportunities (org_id, account_id, closed_date) where status = 'won' and deleted_at is null;
-- The won deals of a period, for simulations of a policy.
create index opportunities_closed on opportunities (org_id, closed_date) where status = 'won' and deleted_at is null;

-- Something that a partner did on an account: the evidence for signals and credit.
create table activities (
  org_id text collate "C" not null,
  id text collate "C" not null,
  external_id text collate "C" not null,
  partner_id text collate "C" not null,
  account_id text collate "C" not null,
  -- Null if the source named no deal.
  opportunity_id text collate "C",
  kind text not null,
  summary text not null,
  actor text,
  source text,
  -- Counts the changes of the row. The ids and versions of a pair's activities identify one state of its activity log.
  version int not null default 1,
  occurred_at timestamptz not null,
  -- When this service learned of it.
  recorded_at timestamptz not null,
  -- When the source recorded it, as the source says. It counts only if the settings trust the source.
  source_recorded_at timestamptz,
  deleted_at timestamptz,
  source_updated_at timestamptz,
  primary key (org_id, id),
  unique (org_id, external_id),
  foreign key (org_id, partner_id) references partners (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, opportunity_id) references opportunities (org_id, id)
);
-- The activities of a pair or an account, for signals and credit, and the log of a signal. It includes withdrawn rows: a
-- statement that filters them out only later can use no other index.
create index activities_by_account on activities (org_id, account_id, partner_id, occurred_at desc, id desc);
-- The timeline of an account.
create index activities_by_account_time on activities (org_id, account_id, occurred_at desc, id desc) where deleted_at is null;
-- The list of a partner's activities.
create index activities_by_partner on activities (org_id, partner_id, occurred_at desc, id desc) where deleted_at is null;
-- The foreign key, when a merge deletes a prospective deal.
create index activities_by_opportunity on activities (org_id, opportunity_id) where opportunity_id is not null;

-- A company in the list of a partner.
create table partner_accounts (
  org_id text collate "C" not null,
  partner_id text collate "C" not null,
  external_id text collate "C" not null,
  name text not null,
  domain text,
  country text,
  registry_number text,
  relationship text not null check (relationship in ('customer', 'open_opportunity', 'prospect')),
  deleted_at timestamptz,
  source_updated_at timestamptz,
  primary key (org_id, partner_id, external_id),
  foreign key (org_id, partner_id) references partners (org_id, id)
);

-- On this day, one unit of base was worth `rate` units of quote.
create table exchange_rates (
  org_id text collate "C" not null,
  date date not null,
  base text collate "C" not null,
  quote text collate "C" not null,
  rate numeric not null check (rate > 0),
  deleted_at timestamptz,
  source_updated_at timestamptz,
  primary key (org_id, date, base, quote)
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Matching: which account of the organization and which account of a partner are the same company
-- ---------------------------------------------------------------------------------------------------------------------

-- A match key of an account, for example its domain. Ingest writes it and deletes it with the fact behind it.
create table account_keys (
  org_id text collate "C" not null,
  key text collate "C" not null,
  account_id text collate "C" not null,
  kind text not null,
  primary key (org_id, key, account_id),
  foreign key (org_id, account_id) references accounts (org_id, id)
);
-- Ingest replaces the keys of an account, and matching looks for partners that share one of them.
create index account_keys_by_account on account_keys (org_id, account_id);

-- A match key of a partner's account. Two rows match if they share a key. Ingest writes and deletes it.
create table partner_account_keys (
  org_id text collate "C" not null,
  key text collate "C" not null,
  partner_id text collate "C" not null,
  external_id text collate "C" not null,
  primary key (org_id, key, partner_id, external_id),
  foreign key (org_id, partner_id, external_id) references partner_accounts (org_id, partner_id, external_id)
);
-- Ingest replaces the keys of a partner's account, and matching looks for accounts that share one of them.
create index partner_account_keys_by_account on partner_account_keys (org_id, partner_id, external_id);

-- The best match of an account and a partner. Ingest and match decisions write it. It ends (ended_at) when nothing supports
-- it any more, and starts again in the same row. Nothing deletes it.
create table matches (
  org_id text collate "C" not null,
  account_id text collate "C" not null,
  partner_id text collate "C" not null,
  -- The partner's account.
  external_id text collate "C" not null,
  kind text not null,
  key text not null,
  confidence real not null,
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (org_id, account_id, partner_id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, partner_id, external_id) references partner_accounts (org_id, partner_id, external_id)
);
-- The overlaps of a partner. The kind is included so that the matches of each kind are counted from the index alone.
create index matches_by_partner on matches (org_id, partner_id, started_at desc, account_id desc) include (kind)
  where ended_at is null;
-- The matches of a partner's account that changes.
create index matches_by_partner_account on matches (org_id, partner_id, external_id) where ended_at is null;

-- A person's decision that an account and a partner's account are the same company, or different ones. One decision at a
-- time is in force for a pair. A newer decision or its withdrawal ends it, and nothing deletes it.
create table match_decisions (
  org_id text collate "C" not null,
  id text collate "C" not null,
  account_id text collate "C" not null,
  partner_id text collate "C" not null,
  external_id text collate "C" not null,
  decision text not null check (decision in ('same', 'different')),
  note text,
  -- The kind of the match that the decision was about. Null if there was none.
  matched_by text,
  decided_by jsonb not null,
  decided_at timestamptz not null,
  ended_as text check (ended_as in ('superseded', 'reverted')),
  ended_by jsonb,
  ended_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, partner_id, external_id) references partner_accounts (org_id, partner_id, external_id)
);
-- The decision in force for a pair, at most one.
create unique index match_decisions_current on match_decisions (org_id, account_id, partner_id, external_id)
  where ended_at is null;
-- The list of decisions, by each of its filters.
create index match_decisions_by_account on match_decisions (org_id, account_id, id);
create index match_decisions_by_partner on match_decisions (org_id, partner_id, id);
create index match_decisions_by_partner_account on match_decisions (org_id, partner_id, external_id, id);

-- A match key that a partner's account had when a person decided "same". Rows of the partner that later have this key are
-- recognized by it. Written with the decision, deleted when the decision ends.
create table match_aliases (
  org_id text collate "C" not null,
  partner_id text collate "C" not null,
  key text collate "C" not null,
  decision_id text collate "C" not null,
  primary key (org_id, partner_id, key, decision_id),
  foreign key (org_id, decision_id) references match_decisions (org_id, id)
);
-- The aliases of a decision that ends.
create index match_aliases_by_decision on match_aliases (org_id, decision_id);

-- A blocking key of an account, for example a word of its name. Only rows that share a blocking key are compared for
-- suggestions. The background job of the suggestions writes and deletes it.
create table account_blocks (
  org_id text collate "C" not null,
  key text collate "C" not null,
  account_id text collate "C" not null,
  primary key (org_id, key, account_id)
);
-- The blocking keys of an account that has changed.
create index account_blocks_by_account on account_blocks (org_id, account_id);

-- A blocking key of a partner's account. The background job of the suggestions writes and deletes it.
create table partner_account_blocks (
  org_id text collate "C" not null,
  key text collate "C" not null,
  partner_id text collate "C" not null,
  external_id text collate "C" not null,
  primary key (org_id, key, partner_id, external_id)
);
-- The blocking keys of a partner's account that has changed.
create index partner_account_blocks_by_account on partner_account_blocks (org_id, partner_id, external_id);

-- A pair that may be the same company, for a person to decide. The background job of the suggestions writes it, and deletes
-- it when the facts or a decision rule it out.
create table match_suggestions (
  org_id text collate "C" not null,
  id text collate "C" not null,
  account_id text collate "C" not null,
  partner_id text collate "C" not null,
  external_id text collate "C" not null,
  score real not null,
  -- The score in thousandths, plus 1000 if a person said that a match of the pair is wrong. Lists are sorted by it.
  rank smallint not null,
  reasons text[] not null,
  suggested_at timestamptz not null,
  primary key (org_id, id)
);
-- One suggestion for a pair.
create unique index match_suggestions_by_pair on match_suggestions (org_id, account_id, partner_id, external_id);
-- The suggestions of a partner's account that has changed.
create index match_suggestions_by_partner_account on match_suggestions (org_id, partner_id, external_id);
-- The list of suggestions, unfiltered, of a partner and of an account.
create index match_suggestions_best on match_suggestions (org_id, rank desc, id desc);
create index match_suggestions_best_of_partner on match_suggestions (org_id, partner_id, rank desc, id desc);
create index match_suggestions_best_of_account on match_suggestions (org_id, account_id, rank desc, id desc);

-- Up to 100 rows whose suggestions the background job has to compute again. Ingest and match decisions write it, and the
-- background job deletes it.
create table suggestion_queue (
  org_id text collate "C" not null,
  id uuid not null,
  -- Accounts, or where partner_ids is not null, the external ids of accounts of these partners.
  ids text[] not null,
  partner_ids text[],
  size int not null,
  due_at timestamptz not null,
  primary key (org_id, id)
);
-- The entries that are due first.
create index suggestion_queue_in_turn on suggestion_queue (org_id, due_at);

-- ---------------------------------------------------------------------------------------------------------------------
-- Signals
-- ---------------------------------------------------------------------------------------------------------------------

-- A signal: this partner can help on this deal now. Ingest and the background jobs create, update and expire it. People
-- change its state and its assignee. Nothing deletes it.
create table signals (
  org_id text collate "C" not null,
  id text collate "C" not null,
  type text not null check (type in ('co_sell', 'overlap', 'pre_intent')),
  partner_id text collate "C" not null,
  account_id text collate "C" not null,
  opportunity_id text collate "C" not null,
  -- What to do next, without the full stop.
  recommended_action text not null,
  -- The last words of the action, as people read it. Facts that change the priority change it; a new day alone does not. Null
  -- after the deal has closed.
  urgency text,
  reasons jsonb not null,
  -- The strength of the evidence, from 0 to 3.
  rank smallint not null,
  -- From 0 to 100. Meaningful only while the signal is active.
  priority smallint not null default 0,
  -- What the priority is made of. Null until it is computed.
  priority_parts jsonb,
  -- Most of the signal's list item as JSON text, so that a page of signals needs no account and no deal. Whatever changes
  -- the account or the deal writes it again.
  shown text not null,
  state text not null check (state in ('new', 'in_progress', 'handled', 'expired')),
  -- The e-mail address of the deal's owner, or else of the account's owner.
  owner_key text,
  -- { name, email } of the person who works on it; the key is the e-mail address in lower case.
  assignee jsonb,
  assignee_key text,
  fired_at timestamptz not null,
  -- When the newest evidence happened.
  evidence_at timestamptz not null,
  expires_at timestamptz not null,
  -- When a person first set the state or the assignee.
  first_action_at timestamptz,
  -- When a person first set the state to in_progress or handled.
  taken_up_at timestamptz,
  ended_at timestamptz,
  -- Null while the signal is active.
  end_reason text check (end_reason in ('handled', 'dismissed', 'time', 'facts')),
  dismiss_reason text check (dismiss_reason in ('not_relevant', 'wrong_match', 'too_late', 'already_known')),
  updated_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, partner_id) references partners (org_id, id),
  foreign key (org_id, account_id) references accounts (org_id, id),
  foreign key (org_id, opportunity_id) references opportunities (org_id, id)
);
-- A deal has at most one active signal of a partner and a type. The background job that computes priorities again follows
-- its order.
create unique index signals_active on signals (org_id, account_id, partner_id, type, opportunity_id)
  where state in ('new', 'in_progress');
-- The signals that expire next.
create index signals_due_of_organization on signals (org_id, expires_at) where state = 'new';
-- The signals on a deal, also after the deal has moved to another account.
create index signals_by_opportunity on signals (org_id, opportunity_id);
-- The signals on an account. The last columns filter by partner, type and state without reading the rows.
create index signals_by_account on signals (org_id, account_id, fired_at desc, id desc, partner_id, type, state);
-- The list, newest first: unfiltered, by type and state, and of one partner, owner or assignee. A filter that is missing
-- becomes one index scan for each of its values, and the scans are merged.
create index signals_feed on signals (org_id, fired_at desc, id desc);
create index signals_by_type_state on signals (org_id, type, state, fired_at desc, id desc);
create index signals_by_end_reason on signals (org_id, type, end_reason, fired_at desc, id desc)
  where end_reason is not null;
create index signals_by_partner on signals (org_id, partner_id, type, state, fired_at desc, id desc);
create index signals_by_owner on signals (org_id, owner_key, type, state, fired_at desc, id desc)
  where owner_key is not null;
create index signals_by_assignee on signals (org_id, assignee_key, type, state, fired_at desc, id desc)
  where assignee_key is not null;
-- The list, highest priority first. Only active signals have a priority.
create index signals_first on signals (org_id, priority desc, fired_at desc, id desc)
  where state in ('new', 'in_progress');
create index signals_by_priority on signals (org_id, type, state, priority desc, fired_at desc, id desc)
  where state in ('new', 'in_progress');
create index signals_by_partner_priority on signals (org_id, partner_id, type, state, priority desc, fired_at desc, id desc)
  where state in ('new', 'in_progress');
create index signals_by_owner_priority on signals (org_id, owner_key, type, state, priority desc, fired_at desc, id desc)
  where owner_key is not null and state in ('new', 'in_progress');
create index signals_by_assignee_priority on signals (org_id, assignee_key, type, state, priority desc, fired_at desc, id desc)
  where assignee_key is not null and state in ('new', 'in_progress');
-- The list of signals of at least some priority, newest first. It merges one scan for each whole ten of priorities, and one
-- for each priority of the ten that is asked for in part: at most 19 scans instead of 101.
create index signals_by_tens on signals (org_id, type, state, (priority / 10), fired_at desc, id desc)
  where state in ('new', 'in_progress');
create index signals_by_partner_tens on signals (org_id, partner_id, type, state, (priority / 10), fired_at desc, id desc)
  where state in ('new', 'in_progress');
create index signals_by_owner_tens on signals (org_id, owner_key, type, state, (priority / 10), fired_at desc, id desc)
  where owner_key is not null and state in ('new', 'in_progress');
create index signals_by_assignee_tens on signals (org_id, assignee_key, type, state, (priority / 10), fired_at desc, id desc)
  where assignee_key is not null and state in ('new', 'in_progress');

-- One change of a signal: its history. Written with the change. Nothing deletes it.
create table signal_changes (
  org_id text collate "C" not null,
  signal_id text collate "C" not null,
  number int not null,
  from_state text not null,
  to_state text not null,
  -- Null if the change did not touch the assignee. The JSON null if it removed the assignee.
  assignee jsonb,
  note text,
  -- Who did it. All null if the service itself did.
  key_id text collate "C",
  key_name text,
  actor text,
  changed_at timestamptz not null,
  primary key (org_id, signal_id, number),
  foreign key (org_id, signal_id) references signals (org_id, id)
);

-- How many signals a partner has of a type in a state. Every transaction that changes signals updates it, so a count costs
-- the same however many signals there are and always agrees with the list. Nothing deletes it.
create table signal_counts (
  org_id text collate "C" not null,
  partner_id text collate "C" not null,
  type text not null,
  state text not null,
  count bigint not null,
  primary key (org_id, partner_id, type, state)
);

-- A pair of partner and account whose signals have to be evaluated again at some time, for example when a quiet period
-- ends. Ingest and the evaluation write it, and the background job deletes it.
create table rechecks (
  org_id text collate "C" not null,
  account_id text collate "C" not null,
  partner_id text collate "C" not null,
  due_at timestamptz not null,
  primary key (org_id, account_id, partner_id)
);
-- The pairs that are due first.
create index rechecks_of_organization on rechecks (org_id, due_at);

-- What a large deal is for an organization, and when the priorities of its signals are computed again. Written with the
-- organization and by the background job. Nothing deletes it.
create table priority_scales (
  org_id text collate "C" primary key,
  -- The amounts that 5%, 10%, ... 100% of the open deals do not exceed, in one currency.
  amounts float8[] not null default '{}',
  -- What one unit of each currency is worth in that currency; the key "" is for deals without a currency.
  rates jsonb not null default '{}',
  -- How many deals the scale was computed from, and how many have changed since.
  deals int not null default 0,
  changed_deals int not null default 0,
  -- While a round runs: account, partner, type and deal of the last signal whose priority was computed.
  walked_to text[],
  due_at timestamptz not null default now()
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Credit
-- ---------------------------------------------------------------------------------------------------------------------

-- The credit of a partner for a won deal. Ingest and disputes write it. It is reversed when the deal or the evidence goes,
-- and nothing deletes it.
create table attribution_records (
  org_id text collate "C" not null,
  id text collate "C" not null,
  opportunity_id text collate "C" not null,
  partner_id text collate "C" not null,
  tier text not null check (tier in ('sourced', 'co_sell', 'influenced')),
  -- The part of the deal's value that is credited to the partner.
  credited_value numeric not null default 0,
  status text not null check (status in ('active', 'reversed')),
  -- True after an accepted dispute: later evidence does not change the tier.
  pinned boolean not null default false,
  -- The version of the settings that decided it.
  settings_version int not null,
  closed_date date not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Only for the constraint below.
  sourced_opportunity_id text collate "C"
    generated always as (case when tier = 'sourced' and status = 'active' then opportunity_id end) stored,
  primary key (org_id, id),
  unique (org_id, opportunity_id, partner_id),
  -- At most one partner has sourced a deal. Deferred, so that two records can swap their tiers.
  constraint attribution_one_sourced unique (org_id, sourced_opportunity_id) deferrable initially deferred,
  foreign key (org_id, opportunity_id) references opportunities (org_id, id),
  foreign key (org_id, partner_id) references partners (org_id, id),
  foreign key (org_id, settings_version) references organization_settings (org_id, version)
);
-- The list of records, unfiltered, of a partner and of a tier.
create index attribution_by_date on attribution_records (org_id, closed_date desc, id desc);
create index attribution_by_partner on attribution_records (org_id, partner_id, closed_date desc, id desc);
create index attribution_by_tier on attribution_records (org_id, tier, closed_date desc, id desc);

-- One line of the explanation of a credit: a piece of evidence, whether it counted, and why. Written with the record, and
-- deleted when it no longer belongs to the deal.
create table attribution_evidence (
  org_id text collate "C" not null,
  record_id text collate "C" not null,
  -- What the line is about: the id of an activity or a dispute, or 'pre_intent'.
  subject text collate "C" not null,
  -- Stays the same as long as the subject does.
  id text collate "C" not null,
  activity_id text collate "C",
  signal_id text collate "C",
  kind text not null,
  summary text not null,
  tier_supported text,
  counted boolean not null,
  reason text not null,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  primary key (org_id, record_id, subject),
  foreign key (org_id, record_id) references attribution_records (org_id, id)
);

-- A dispute about a credit. People open and resolve it. Nothing deletes it.
create table disputes (
  org_id text collate "C" not null,
  id text collate "C" not null,
  record_id text collate "C" not null,
  claimed_tier text not null check (claimed_tier in ('sourced', 'co_sell', 'influenced')),
  tier_at_opening text not null,
  justification text not null,
  status text not null check (status in ('open', 'accepted', 'rejected', 'withdrawn')),
  opened_by jsonb not null,
  opened_at timestamptz not null,
  resolution_note text,
  resolved_by jsonb,
  resolved_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, record_id) references attribution_records (org_id, id)
);
-- A record has at most one open dispute.
create unique index disputes_one_open on disputes (org_id, record_id) where status = 'open';
-- The disputes of a record.
create index disputes_by_record on disputes (org_id, record_id, opened_at desc, id desc);

-- ---------------------------------------------------------------------------------------------------------------------
-- Events and delivery
-- ---------------------------------------------------------------------------------------------------------------------

-- Something that happened and that webhooks and the event feed tell. Written in the transaction of its cause. A background
-- job deletes it after 30 days.
create table events (
  org_id text collate "C" not null,
  id text collate "C" not null,
  kind text not null,
  -- json and not jsonb, which keeps the text as it was written: every delivery sends the same bytes.
  data json not null,
  -- False for the effects of a backfill: they are in the feed, and no webhook receives them.
  deliverable boolean not null,
  created_at timestamptz not null,
  primary key (org_id, id)
);
-- Events are redelivered and deleted by time.
create index events_by_time on events (org_id, created_at);

-- The number of an event in the feed: without gaps, in the order of commits. Written immediately before the commit, and
-- deleted with the event.
create table event_numbers (
  org_id text collate "C" not null,
  number bigint not null,
  event_id text collate "C" not null,
  primary key (org_id, number),
  unique (org_id, event_id)
);

-- The last event number of an organization, and the version of its data. The last write of every transaction that has
-- events or changes data that is shown. Nothing deletes it.
create table event_counters (
  org_id text collate "C" primary key,
  last_number bigint not null,
  -- Another one after every commit that changes what the organization is shown. As long as it stays the same, cached answers
  -- are valid.
  version text
);

-- A webhook: where to send which events. Admin keys create, change and delete it. A worker disables it after too many
-- failures.
create table webhooks (
  org_id text collate "C" not null,
  id text collate "C" not null,
  url text not null,
  events text[] not null,
  -- By event kind: when it was added. Events before that time were not missed.
  subscribed_at jsonb not null default '{}',
  -- Encrypted, bound to the row.
  secret bytea not null,
  status text not null check (status in ('enabled', 'disabled')),
  disabled_reason text,
  -- Since when every attempt has failed.
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id)
);

-- A replaced secret of a webhook, which still signs until its end. Rotation writes it. A background job deletes it after its
-- end, and so does a rotation without overlap.
create table webhook_previous_secrets (
  org_id text collate "C" not null,
  webhook_id text collate "C" not null,
  number bigint not null,
  -- Encrypted, bound to the webhook.
  secret bytea not null,
  holds_until timestamptz not null,
  primary key (org_id, webhook_id, number),
  foreign key (org_id, webhook_id) references webhooks (org_id, id) on delete cascade
);

-- One event, or one test, for one webhook. Written with the event, changed by the worker after each attempt. Deleted with
-- its event or its webhook, and a test by a background job after 30 days.
create table deliveries (
  org_id text collate "C" not null,
  id text collate "C" not null,
  webhook_id text collate "C" not null,
  -- Null for a test, which has a body of its own and is not an event of the organization.
  event_id text collate "C",
  test_body text,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts int not null default 0,
  next_attempt_at timestamptz,
  -- Of the last attempt.
  response_code smallint,
  response_body text,
  error text,
  latency_ms int,
  attempted_at timestamptz,
  created_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, webhook_id) references webhooks (org_id, id) on delete cascade,
  foreign key (org_id, event_id) references events (org_id, id) on delete cascade,
  check ((event_id is null) = (test_body is not null)),
  check ((status = 'pending') = (next_attempt_at is not null))
);
-- The worker reads what is due of a webhook.
create index deliveries_due on deliveries (org_id, webhook_id, next_attempt_at) where status = 'pending';
-- The list of a webhook's deliveries.
create index deliveries_by_webhook on deliveries (org_id, webhook_id, id desc);
-- One delivery of an event to a webhook, and the foreign key when an event is deleted.
create unique index deliveries_by_event on deliveries (org_id, event_id, webhook_id) where event_id is not null;
-- Old deliveries are deleted by time.
create index deliveries_by_time on deliveries (org_id, created_at);

-- The rest of a span of events that is being redelivered in small steps. A request writes it. Each step of the background
-- job deletes it and writes what is left.
create table redeliveries (
  org_id text collate "C" not null,
  id uuid not null default gen_random_uuid(),
  webhook_id text collate "C" not null,
  which text not null check (which in ('failed', 'missed', 'all')),
  -- The last event that was looked at.
  after_at timestamptz not null,
  after_id text collate "C" not null,
  until timestamptz not null,
  queued_at timestamptz not null default clock_timestamp(),
  primary key (org_id, id),
  foreign key (org_id, webhook_id) references webhooks (org_id, id) on delete cascade
);

-- ---------------------------------------------------------------------------------------------------------------------
-- Limits and operations
-- ---------------------------------------------------------------------------------------------------------------------

-- A webhook with pending deliveries: the queue of the workers (docs/deliveries.md). Written with the deliveries, leased and
-- released by workers, and deleted when nothing is pending.
create table due_webhooks (
  org_id text collate "C" not null,
  webhook_id text collate "C" not null,
  -- When its first pending delivery is due, as far as is known; infinity if the last read found none.
  next_at timestamptz not null,
  -- When a worker reads its deliveries next. While a lease runs, its end, or an earlier time if deliveries were added.
  due_at timestamptz not null,
  -- The webhook that was served longest ago comes first.
  served_at timestamptz not null default '-infinity',
  -- Until leased_until, no other worker sends to the webhook.
  leased_by text,
  leased_until timestamptz not null default '-infinity',
  primary key (org_id, webhook_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index due_webhooks_by_time on due_webhooks (due_at);

-- When an organization is checked for background work: expiry, rechecks, retention and so on. Written with the
-- organization and with its work, leased and released by the background jobs (src/jobs.ts). Never deleted.
create table due_organizations (
  org_id text collate "C" primary key,
  due_at timestamptz not null,
  -- The process that checks it, until due_at. Writing new work sets it to null, so that the process does not postpone it.
  leased_by text,
  -- How often in a row nothing was due: the second check is soon, later ones are regular.
  empty_checks smallint not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index due_organizations_by_time on due_organizations (due_at);
-- Operators belong to no organization, but their idempotency keys have to be deleted, too.
insert into due_organizations (org_id, due_at) values ('operator', now());

-- A request with an Idempotency-Key, and its answer. Written by the request. A background job deletes it after 24 hours.
create table idempotency_keys (
  -- 'operator' for requests of operators.
  org_id text collate "C" not null,
  caller text collate "C" not null,
  method text not null,
  path text collate "C" not null,
  key text collate "C" not null,
  request_hash bytea not null,
  status smallint,
  -- Encrypted, because some answers show a secret that is stored nowhere else.
  answer bytea,
  -- The upsert of a claim compares with it, because on Citus it cannot call now() there.
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (org_id, caller, method, path, key)
);
-- The keys that expire first.
create index idempotency_keys_by_end on idempotency_keys (org_id, expires_at);

-- The lease of the one export that an organization can have in progress. The export writes it, renews it and deletes it at
-- its end. After a crash it expires.
create table exports (
  org_id text collate "C" primary key,
  id text collate "C" not null,
  -- The upsert of a claim compares with it, because on Citus it cannot call now() there.
  claimed_at timestamptz not null,
  expires_at timestamptz not null
);

-- A request to the operator API. Written before it runs. Nothing deletes it.
create table operator_audit (
  request_id text collate "C" primary key,
  operator text not null,
  method text not null,
  path text not null,
  address text not null,
  -- Null while the request runs, and forever if the process died in the middle of it.
  status smallint,
  at timestamptz not null default now()
);
