-- Identifiers are text in the "C" collation: they compare byte by byte, whatever the database's own locale.
-- Every tenant table's primary key begins with org_id, and so does every foreign key between tenant tables.

create table organizations (
  id text collate "C" primary key,
  name text not null,
  plan text not null check (plan in ('standard', 'enterprise')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table api_keys (
  org_id text collate "C" not null references organizations (id),
  id text collate "C" not null,
  name text not null,
  scopes text[] not null,
  -- SHA-256 of the key, which is 190 random bits: a slow hash would add nothing.
  hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  exposed_at timestamptz,
  primary key (org_id, id)
);

create table organization_settings (
  org_id text collate "C" not null references organizations (id),
  version int not null,
  settings jsonb not null,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (org_id, version)
);

create table partners (
  org_id text collate "C" not null references organizations (id),
  id text collate "C" not null,
  external_id text collate "C" not null,
  name text not null,
  -- The name folded for sorting, so that the order of a list does not depend on the database's locale.
  name_key text collate "C" not null,
  type text not null check (type in ('solution_provider', 'technology_partner', 'hyperscaler', 'gsi')),
  tier smallint not null check (tier between 1 and 4),
  domain text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (org_id, id),
  unique (org_id, external_id)
);
create index partners_by_name on partners (org_id, name_key, id);
create index partners_by_type on partners (org_id, type, name_key, id);
create index partners_by_tier on partners (org_id, tier, name_key, id);

-- org_id refers to nothing here: what an operator does belongs to no organization and is kept under 'operator'.
create table idempotency_keys (
  org_id text collate "C" not null,
  caller text collate "C" not null,
  method text not null,
  path text collate "C" not null,
  key text collate "C" not null,
  request_hash bytea not null,
  status smallint,
  -- The answer, encrypted: some answers show a secret that is kept nowhere else.
  answer bytea,
  created_at timestamptz not null default now(),
  primary key (org_id, caller, method, path, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table operator_audit (
  request_id text collate "C" primary key,
  operator text not null,
  method text not null,
  path text not null,
  address text not null,
  at timestamptz not null default now(),
  -- Null while the request runs, and for ever if the process died in the middle of it.
  status smallint
);
