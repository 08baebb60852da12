-- The signing service: taxpayers, their tokens, their devices, and the chains of sealed receipts.
-- Every table of a tenant leads with taxpayer_id and nothing joins across tenants.

-- Which master key this installation was set up with. A fingerprint, never the key: a start with another key is
-- refused here instead of failing at the first signature.
create table master_keys (
  fingerprint bytea primary key check (octet_length(fingerprint) = 32),
  created_at timestamptz not null default now()
);

create table taxpayers (
  taxpayer_id uuid primary key,
  name text not null,
  tin text not null check (tin ~ '^[0-9]{10}$'),
  vat_number text check (vat_number ~ '^[0-9]{9}$'),       -- null: not registered for VAT
  currencies text[],                                       -- null: every current ISO 4217 code
  default_hs_taxed text,                                   -- null: no automatic HS code for that kind of tax
  default_hs_zero_rated text,
  default_hs_exempt text,
  suspended_at timestamptz,
  created_at timestamptz not null default now()
);

-- One data key per taxpayer, wrapped by the master key; it encrypts the taxpayer's secrets.
create table data_keys (
  taxpayer_id uuid primary key references taxpayers,
  wrapped_key bytea not null,
  master_key_fingerprint bytea not null references master_keys
);

-- A token is 256 random bits, so a plain SHA-256 is enough to keep it: there is nothing to guess.
create table tokens (
  taxpayer_id uuid not null references taxpayers,
  token_id uuid not null,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  display_prefix text not null,
  name text not null,
  scopes text[] not null,
  default_cashier text check (length(default_cashier) <= 20),
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (taxpayer_id, token_id)
);

-- AuthorityDeviceId is given by the authority and unique there, hence also here.
create table devices (
  taxpayer_id uuid not null references taxpayers,
  device_id integer not null unique check (device_id > 0),
  zone text not null,
  maintenance_start_minute integer not null check (maintenance_start_minute between 0 and 1439),
  date_policy text not null check (date_policy in ('advance', 'strict')),
  advance_limit_seconds integer not null check (advance_limit_seconds >= 0),
  future_limit_seconds integer not null check (future_limit_seconds >= 0),
  blocked_reason text,
  created_at timestamptz not null default now(),
  primary key (taxpayer_id, device_id)
);

-- Every key the device ever signed with: old receipts must stay verifiable.
create table device_keys (
  taxpayer_id uuid not null,
  device_id integer not null,
  key_version integer not null,
  algorithm text not null check (algorithm in ('ECDSA-P256', 'RSA-2048')),
  public_key_pem text not null,
  private_key_encrypted bytea not null,
  certificate_pem text,
  certificate_valid_till timestamptz,
  created_at timestamptz not null default now(),
  primary key (taxpayer_id, device_id, key_version),
  foreign key (taxpayer_id, device_id) references devices
);

-- What the authority said of the device, every version kept: the authority lists only current and future taxes, and an
-- old invoice must stay creditable.
create table device_configurations (
  taxpayer_id uuid not null,
  device_id integer not null,
  configuration_version integer not null,
  serial_number text not null,
  qr_url text not null,
  day_maximum_hours integer not null check (day_maximum_hours > 0),
  taxes jsonb not null,                                    -- [{taxId, taxPercent|null, taxName, validFrom, validTill|null}]
  received_at timestamptz not null default now(),
  primary key (taxpayer_id, device_id, configuration_version),
  foreign key (taxpayer_id, device_id) references devices
);

-- The head of each chain and the state of its fiscal day. Its row lock is the only coordination between instances.
-- `revision` moves with every change to the device, its key or its configuration, so an instance that locks the head
-- sees at once that what it has cached is old.
create table device_heads (
  taxpayer_id uuid not null,
  device_id integer not null,
  revision integer not null,
  key_version integer not null,
  configuration_version integer not null,
  day_state text not null check (day_state in ('Closed', 'Opening', 'Opened', 'Closing', 'CloseInitiated', 'CloseFailed')),
  fiscal_day_number integer not null check (fiscal_day_number >= 0),
  day_opened_at timestamptz,
  fiscal_day_counter integer not null check (fiscal_day_counter >= 0),
  global_counter integer not null check (global_counter >= 0),
  last_hash bytea check (octet_length(last_hash) = 32),    -- null: no receipt in this fiscal day yet
  last_date timestamp(0),                                  -- device local time, as signed; runs on across days
  day_volume numeric(24, 2) not null default 0,            -- sum of absolute amounts: bounds every counter of the day
  primary key (taxpayer_id, device_id),
  foreign key (taxpayer_id, device_id) references devices,
  check (day_state = 'Closed' or day_opened_at is not null),
  check ((fiscal_day_counter = 0) = (last_hash is null))
) with (fillfactor = 70);                                  -- room for updates on the same page

create table receipts (
  taxpayer_id uuid not null,
  device_id integer not null,
  global_counter integer not null check (global_counter > 0),
  fiscal_day_number integer not null check (fiscal_day_number > 0),
  fiscal_day_counter integer not null check (fiscal_day_counter > 0),
  reference text not null,
  type text not null check (type in ('FiscalInvoice', 'CreditNote', 'DebitNote')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  total numeric(19, 2) not null,
  signed_date timestamp(0) not null,                       -- device local time
  sealed_at timestamptz not null,
  previous_hash bytea check (octet_length(previous_hash) = 32),
  hash bytea not null check (octet_length(hash) = 32),
  signature bytea not null,
  key_version integer not null,
  configuration_version integer not null,
  taxes jsonb not null,                                    -- as signed: [{taxId, taxPercent|null, taxAmount, salesAmountWithTax}], decimals as text
  original_device_id integer,                              -- of a note: the receipt it credits or debits
  original_global_counter integer,
  body text not null,                                      -- the receipt as it is echoed: normalised, with the date that was signed
  submitted_differences jsonb,                             -- what defaults and the date policy changed: restores what the caller sent
  primary key (taxpayer_id, device_id, global_counter),
  foreign key (taxpayer_id, device_id) references devices,
  constraint receipts_reference_once unique (taxpayer_id, reference),
  constraint receipts_day_counter_once unique (taxpayer_id, device_id, fiscal_day_number, fiscal_day_counter),
  -- Two receipts over the same predecessor would be a fork; `nulls not distinct` makes the first of a day unique too.
  constraint receipts_no_fork unique nulls not distinct (taxpayer_id, device_id, fiscal_day_number, previous_hash),
  check ((fiscal_day_counter = 1) = (previous_hash is null)),
  check ((type = 'FiscalInvoice') = (original_global_counter is null)),
  check ((original_device_id is null) = (original_global_counter is null)),
  check (case when type = 'CreditNote' then total <= 0 else total >= 0 end)
);

create index receipts_by_seal_time on receipts (taxpayer_id, sealed_at);
create index receipts_by_original on receipts (taxpayer_id, original_device_id, original_global_counter)
  where original_global_counter is not null;

-- What the authority answered. No row: not yet answered (Pending). It lives apart because receipts never change.
create table submissions (
  taxpayer_id uuid not null,
  device_id integer not null,
  global_counter integer not null,
  state text not null check (state in ('Pending', 'Submitted', 'Refused', 'Undeliverable')),
  failed_at timestamptz,
  error text,
  primary key (taxpayer_id, device_id, global_counter),
  foreign key (taxpayer_id, device_id, global_counter) references receipts,
  check ((failed_at is null) = (error is null))
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is not allowed', tg_table_name, lower(tg_op)
    using errcode = 'restrict_violation';
end
$$;

create trigger receipts_append_only before update or delete on receipts
  for each row execute function refuse_change();
create trigger receipts_never_truncated before truncate on receipts
  for each statement execute function refuse_change();
