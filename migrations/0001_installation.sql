-- The installation: its keys, tokens, people and what they did, and the database servers it has worked with. Before everything else, the
-- rule of every table that is only appended to.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is not allowed', tg_table_name, lower(tg_op)
    using errcode = 'restrict_violation';
end
$$;

-- Which master key this installation was set up with. A fingerprint, never the key: a start with another key is refused here instead of
-- failing at the first signature. A key may be forgotten once nothing is wrapped with it any more.
create table master_keys (
  fingerprint bytea primary key check (octet_length(fingerprint) = 32),
  created_at timestamptz not null default now(),
  retired_at timestamptz
);

-- One data key per tenant, wrapped by the master key; it encrypts the tenant's secrets.
create table data_keys (
  tenant_id uuid primary key,
  wrapped_key bytea not null,
  master_key_fingerprint bytea not null references master_keys
);

-- Tokens of taxpayers, vendors and billers, whose tables come later; one that is of none of them is the operators'. A token is 256 random bits, so a
-- plain SHA-256 is enough to keep it: there is nothing to guess.
create table tokens (
  token_id uuid primary key,
  taxpayer_id uuid,
  vendor_id uuid,
  biller_code text,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  display_prefix text not null,
  name text not null,
  scopes text[] not null,
  default_cashier text check (length(default_cashier) <= 20),
  expires_at timestamptz,
  last_used_at timestamptz,                                -- some minutes behind; null: never
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  check (num_nonnulls(taxpayer_id, vendor_id, biller_code) <= 1),
  check (scopes <@ case when taxpayer_id is not null then array['sign', 'read', 'endpoints']
                        when vendor_id is not null then array['pay', 'read', 'endpoints']
                        when biller_code is not null then array['figures']
                        else array['viewer', 'operator', 'admin'] end),
  check (default_cashier is null or taxpayer_id is not null)
) with (fillfactor = 70);
create index tokens_by_taxpayer on tokens (taxpayer_id, token_id) where taxpayer_id is not null;
create index tokens_by_vendor on tokens (vendor_id, token_id) where vendor_id is not null;
create index tokens_by_biller on tokens (biller_code, token_id) where biller_code is not null;

-- An instance remembers who is behind a token until something about tokens or their holders has changed. One number tells; it is
-- raised at the end of a transaction, so that nothing waits for it with a lock in hand, and seen only together with the change.
create table token_changes (
  only_row boolean primary key default true check (only_row),
  number bigint not null
);
insert into token_changes (number) values (0);
create function note_token_change() returns trigger language plpgsql as $$
begin
  update token_changes set number = number + 1;
  return null;
end $$;
create constraint trigger tokens_changed
  after update of token_hash, name, scopes, default_cashier, expires_at, revoked_at or delete on tokens
  deferrable initially deferred for each row execute function note_token_change();

-- People who log in: accounts, what each may do for whom, sessions, and who has to wait after wrong passwords.
create table people (
  person_id uuid primary key,
  email text not null unique check (email = lower(email)),
  name text not null,
  password_hash text not null,                             -- argon2id with its salt and parameters
  must_change_password boolean not null default false,     -- the password was made here and told once
  totp_secret bytea,                                       -- under the installation's data key
  totp_confirmed_at timestamptz,                           -- null: not in use yet
  totp_step bigint not null default 0,                     -- of the last code that was taken: each works once
  recovery_codes bytea[] not null default '{}',            -- SHA-256 of those that are left
  disabled_at timestamptz,
  last_log_in_at timestamptz,
  created_at timestamptz not null default now()
);

-- Each a second factor of its person.
create table passkeys (
  passkey_id uuid primary key,
  person_id uuid not null references people on delete cascade,
  credential_id bytea not null unique,
  public_key bytea not null,                               -- COSE
  counter bigint not null,                                 -- rises with each use, or is always 0
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_by_person on passkeys (person_id);

create table memberships (
  person_id uuid not null references people on delete cascade,
  tenant_kind text not null check (tenant_kind in ('installation', 'taxpayer', 'vendor', 'biller', 'practice')),
  tenant_id text not null,                                 -- of a biller its code; empty: the installation
  role text not null,
  expires_at timestamptz,
  issuer text,                                             -- whose claim granted it, for its own sessions alone; null: by hand
  created_at timestamptz not null default now(),
  primary key (person_id, tenant_kind, tenant_id),
  check ((tenant_kind = 'installation') = (tenant_id = '')),
  check (role = any (case tenant_kind when 'installation' then array['viewer', 'operator', 'admin']
                                      else array['viewer', 'clerk', 'owner'] end))
);
create index memberships_by_tenant on memberships (tenant_kind, tenant_id, person_id);

-- Accountants and resellers: their people act for each taxpayer that gave a mandate (practice_taxpayers).
create table practices (
  practice_id uuid primary key,
  name text not null,
  created_at timestamptz not null default now()
);

-- A session is 256 random bits in a cookie, kept as SHA-256 only, like a token. It acts for one tenant, as long as the person may.
create table sessions (
  session_hash bytea primary key check (octet_length(session_hash) = 32),
  person_id uuid not null references people on delete cascade,
  tenant_kind text not null,
  tenant_id text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,                            -- at most a minute old while it is used
  expires_at timestamptz not null,
  is_proven boolean not null default false,                -- by the second factor of its person, who may have none
  issuer text,                                             -- the OpenID provider it came by; null: by password
  browser text,                                            -- what it calls itself
  challenge text,                                          -- for the next answer of a passkey, which takes it; behind what for
  challenge_until timestamptz
);
create index sessions_by_person on sessions (person_id);
create index sessions_by_expiry on sessions (expires_at);

-- Whom an OpenID provider means by a subject. Linked by an invitation or by the person, never by an email.
create table identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null references people on delete cascade,
  linked_at timestamptz not null,
  primary key (issuer, subject),
  unique (person_id, issuer)
);

-- Whose people have to have a second factor; of the kind 'everybody': all.
create table second_factor_rules (
  tenant_kind text not null,
  tenant_id text not null,
  primary key (tenant_kind, tenant_id)
);

-- What was mailed to an address and works once: an invitation, or, without a role, a way to a new password.
create table mailed_links (
  link_id uuid primary key,
  link_hash bytea not null unique check (octet_length(link_hash) = 32),
  email text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  tenant_kind text,
  tenant_id text,
  role text,
  name text,
  membership_expires_at timestamptz,
  invited_by text,
  check (num_nulls(tenant_kind, tenant_id, role, name, invited_by) in (0, 5))
);
create index mailed_links_by_email on mailed_links (email);

-- By the hash of the email that was typed, whether anybody has it or not: who is locked out learns nothing from it.
create table log_in_attempts (
  email_hash bytea primary key check (octet_length(email_hash) = 32),
  failures integer not null,
  failed_at timestamptz not null,
  locked_until timestamptz
);
create index log_in_attempts_by_time on log_in_attempts (failed_at);

-- Who changed what, when, from what to what. Written in the transaction of the change; never holds a secret.
create table audit_log (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  is_of_installation boolean not null default false,       -- tenants are not told which operator it was
  action text not null,
  taxpayer_id uuid,
  subject text not null,
  before jsonb,
  after jsonb
);
create index audit_log_by_taxpayer on audit_log (taxpayer_id, audit_id) where taxpayer_id is not null;
create index audit_log_by_subject on audit_log (subject, audit_id);
create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_never_truncated before truncate on audit_log
  for each statement execute function refuse_change();

-- Which database servers this installation has worked with, each by PostgreSQL's own identifier and its timeline. A new timeline means that a
-- standby was promoted: devices are compared with the authority, which may know receipts that this server never got. And what an operator
-- decided when going back (tillseal restore mark): the server that was accepted, and the one that was given up for it.
create table database_timelines (
  system_identifier text not null,
  timeline integer not null,
  since timestamptz not null default now(),
  accepted_at timestamptz,
  given_up_at timestamptz,
  primary key (system_identifier, timeline)
);
