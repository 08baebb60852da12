-- The signing service: taxpayers, their devices, the chains of sealed receipts, and what the tax authority said of them.
-- Every table of a tenant leads with taxpayer_id and nothing joins across tenants.

create table taxpayers (
  taxpayer_id uuid primary key,
  name text not null,
  tin text not null check (tin ~ '^[0-9]{10}$'),
  vat_number text check (vat_number ~ '^[0-9]{9}$'),       -- null: not registered for VAT
  currencies text[],                                       -- null: every current ISO 4217 code
  default_hs_taxed text,                                   -- null: no automatic HS code for that kind of tax
  default_hs_zero_rated text,
  default_hs_exempt text,
  notes_take_buyer boolean not null default false,         -- credit and debit notes without a buyer take that of their original
  original_devices integer[],                              -- where its older invoices came from; null: anywhere
  time_zone text,                                          -- in which its people see times; null: the installation's
  suspended_at timestamptz,
  created_at timestamptz not null default now()
);

create table practice_taxpayers (
  practice_id uuid not null references practices,
  taxpayer_id uuid not null references taxpayers,
  primary key (practice_id, taxpayer_id)
);
create index practice_taxpayers_by_taxpayer on practice_taxpayers (taxpayer_id);

alter table tokens add foreign key (taxpayer_id) references taxpayers;
create constraint trigger taxpayers_changed
  after update of vat_number, currencies, default_hs_taxed, default_hs_zero_rated, default_hs_exempt, notes_take_buyer, suspended_at
  on taxpayers
  deferrable initially deferred for each row when (old.* is distinct from new.*) execute function note_token_change();

-- What a taxpayer wants on its printed receipts. A table of its own: taxpayers are read with every request, logos are not.
create table print_settings (
  taxpayer_id uuid primary key references taxpayers,
  logo bytea check (octet_length(logo) <= 100000),         -- PNG, checked before it is stored
  logo_width integer,
  logo_height integer,
  footer text check (char_length(footer) <= 500),
  fiscal_note_titles boolean not null default false,       -- notes are titled FISCAL
  check ((logo is null) = (logo_width is null) and (logo is null) = (logo_height is null))
);

-- AuthorityDeviceId is given by the authority and unique there, hence also here. A device that turns out to be another taxpayer's while it
-- is being registered is taken out again: it has sealed nothing. No other is ever deleted, which receipts rely on.
create table devices (
  taxpayer_id uuid not null references taxpayers,
  device_id integer not null unique check (device_id > 0),
  serial_number text,
  zone text not null,
  maintenance_start_minute integer not null check (maintenance_start_minute between 0 and 1439),
  date_policy text not null check (date_policy in ('advance', 'strict')),
  advance_limit_seconds integer not null check (advance_limit_seconds >= 0),
  future_limit_seconds integer not null check (future_limit_seconds >= 0),
  registered_at timestamptz,
  -- The number it stood at when it was registered here: what is at or below it was sealed elsewhere, everything above is sealed here and
  -- named by its reference. Null until the registration is complete.
  registered_counter integer check (registered_counter >= 0),
  created_at timestamptz not null default now(),
  primary key (taxpayer_id, device_id)
);
create trigger devices_never_deleted before delete on devices
  for each row when (old.registered_at is not null or old.registered_counter is not null) execute function refuse_change();
create trigger devices_never_truncated before truncate on devices
  for each statement execute function refuse_change();

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
  operating_mode text not null default 'Online',
  day_maximum_hours integer not null check (day_maximum_hours > 0),
  day_end_notification_hours integer not null default 2,
  taxes jsonb not null,                                    -- [{taxId, taxPercent|null, taxName, validFrom, validTill|null}]
  taxpayer_name text,
  taxpayer_tin text,
  vat_number text,
  branch_name text,
  branch_address jsonb,
  branch_contacts jsonb,
  received_at timestamptz not null default now(),
  primary key (taxpayer_id, device_id, configuration_version),
  foreign key (taxpayer_id, device_id) references devices
);

-- What speaks against taxes of the configuration in force, until the authority has made it clear. A new one moves the head's revision, as
-- a configuration does.
create table tax_doubts (
  taxpayer_id uuid not null,
  device_id integer not null,
  percents text[] not null,                                -- nothing is sealed with these meanwhile; 'exempt' is one
  answer jsonb,                                            -- the taxes as the authority last listed them; null: only a remark speaks against
  since timestamptz not null,
  is_remarked boolean not null,                            -- with RCPT025
  primary key (taxpayer_id, device_id),
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

-- One actor per device talks to the authority, whichever instance it runs on. The fencing token makes sure that one whose
-- lease ran out while it slept cannot write any more.
create table device_lanes (
  taxpayer_id uuid not null,
  device_id integer not null,
  submitted_through integer not null default 0,            -- every receipt up to here is settled
  next_step_at timestamptz not null default '-infinity',
  paused_until timestamptz,
  is_outage boolean not null default false,                -- paused because nobody answered
  stopped_reason text,                                     -- an operator has to decide; nothing is sent meanwhile
  attempts integer not null default 0,
  failed_at timestamptz,
  error text,
  locked_until timestamptz,
  fencing_token bigint not null default 0,
  requested text check (requested in ('open', 'close')),   -- by hand
  reopen_after timestamptz,                                -- closed by hand: stay closed until then
  configuration_checked_at timestamptz,
  -- What the authority said when it was last asked, and since when it is to be asked anew, whatever was said before.
  status_checked_at timestamptz,
  authority_counter integer,
  authority_day integer,
  authority_day_status text,
  compare_wanted_at timestamptz,
  pinged_at timestamptz,
  ping_minutes integer not null default 5,
  certificate_tried_at timestamptz,
  tax_remark_at timestamptz,                               -- when RCPT025 last made it ask for the configuration
  primary key (taxpayer_id, device_id),
  foreign key (taxpayer_id, device_id) references devices
) with (fillfactor = 70);
create index device_lanes_due on device_lanes (next_step_at);

-- Tills whose outbox has sales that are not sealed yet, as they said with their last sign request. A till that has caught up has no row.
create table tills_behind (
  taxpayer_id uuid not null,
  device_id integer not null,
  token_id uuid not null references tokens,
  waiting_sales integer not null check (waiting_sales > 0),
  waiting_since timestamptz not null,
  heard_at timestamptz not null,
  primary key (taxpayer_id, device_id, token_id),
  foreign key (taxpayer_id, device_id) references devices
);

-- A fiscal day: opening time and counters are kept for the closing signature, the authority's signature as evidence.
create table fiscal_days (
  taxpayer_id uuid not null,
  device_id integer not null,
  fiscal_day_number integer not null check (fiscal_day_number > 0),
  opened_at timestamptz not null,
  opened_wall timestamp(0) not null,                       -- device local time: its date is part of the closing signature
  open_confirmed_at timestamptz,                           -- null: the authority has not said yes yet
  close_reason text,
  close_attempts integer not null default 0,
  close_sent_at timestamptz,                               -- CloseDay may have arrived: ask before sending again
  close_error text,
  seen_closed_at timestamptz,                              -- shown as closed without a receipt that the authority may have: it is asked again before that is believed
  closed_at timestamptz,
  closed_wall timestamp(0),
  closed_text text,                                        -- as the authority wrote it, where the column before gives back another text
  reconciliation text check (reconciliation in ('Auto', 'Manual')),
  receipt_count integer,
  counters jsonb,
  cashiers jsonb,                                          -- [{cashier|null, type, currency, quantity, amount}]: counted from its receipts when it was closed
  device_hash bytea,
  device_signature bytea,
  key_version integer,
  server_hash bytea,
  server_signature bytea,
  server_certificate_thumbprint text,
  is_server_signature_valid boolean,                       -- null: not judged yet
  primary key (taxpayer_id, device_id, fiscal_day_number),
  foreign key (taxpayer_id, device_id) references devices
);
-- A month is the days that were opened in it, each on the clock of its device.
create index fiscal_days_by_opening on fiscal_days (taxpayer_id, opened_wall);

-- Append-only. No reference to devices: a receipt is appended to a head that is locked and belongs to a device. To look the device up once
-- more for every receipt, and to lock its row, was a tenth of what an append costs.
create table receipts (
  taxpayer_id uuid not null,
  device_id integer not null,
  global_counter integer not null check (global_counter > 0),
  fiscal_day_number integer not null check (fiscal_day_number > 0),
  fiscal_day_counter integer not null check (fiscal_day_counter > 0),
  -- In the order of bytes, so that the unique index that every reference has anyway also finds those that begin like it.
  reference text collate "C" not null,
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
  event_number bigint,                                     -- a sealed receipt is its own event
  -- To be found by; they stand in the body, too, but an index that has to take the body apart halved the rate at which rows can be written.
  buyer_tin text,
  buyer_name text,                                         -- in small letters
  primary key (taxpayer_id, device_id, global_counter),
  constraint receipts_day_counter_once unique (taxpayer_id, device_id, fiscal_day_number, fiscal_day_counter),
  -- Two receipts over the same predecessor would be a fork; `nulls not distinct` makes the first of a day unique too.
  constraint receipts_no_fork unique nulls not distinct (taxpayer_id, device_id, fiscal_day_number, previous_hash),
  check ((fiscal_day_counter = 1) = (previous_hash is null)),
  check ((type = 'FiscalInvoice') = (original_global_counter is null)),
  check ((original_device_id is null) = (original_global_counter is null)),
  check (case when type = 'CreditNote' then total <= 0 else total >= 0 end)
);
create index receipts_by_seal_time on receipts (taxpayer_id, sealed_at);
create index receipts_newest on receipts (sealed_at);      -- an operator searches over all taxpayers
create unique index receipts_by_event on receipts (taxpayer_id, event_number);
-- The notes of a receipt are looked up whenever one is sealed and whenever a receipt is accepted. By its device first only this index can
-- answer that; among several that begin with the taxpayer the planner takes any while there are few receipts, and keeps that plan.
create index receipts_by_original_number on receipts (original_device_id, original_global_counter)
  where original_global_counter is not null;
-- What a customer holds or remembers. The verification code is the first 16 hex digits of the signature's MD5; half of them find it.
-- Every receipt pays for code and amount, hence as narrow as they can be; receipts without a buyer pay nothing for the others.
create index receipts_by_verification_code on receipts (left(md5(signature), 8));
create index receipts_by_amount on receipts (total, sealed_at);
create index receipts_by_buyer_tin on receipts (buyer_tin, sealed_at) where buyer_tin is not null;
create index receipts_by_buyer_name on receipts (buyer_name text_pattern_ops, sealed_at) where buyer_name is not null;
-- The look-up by reference must use its own index from the first receipt on. On an empty table all indexes that begin with
-- taxpayer_id cost the planner the same, a prepared statement keeps the plan it got then, and of equals the newest index
-- wins: measured, the wrong one cost three quarters of the throughput until the next analyze. Hence made last, and analysed early.
alter table receipts add constraint receipts_reference_once unique (taxpayer_id, reference);
alter table receipts set (autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05);
create trigger receipts_append_only before update or delete on receipts
  for each row execute function refuse_change();
create trigger receipts_never_truncated before truncate on receipts
  for each statement execute function refuse_change();

-- While the table of receipts is young its statistics grow old within seconds, and gathering them anew took half a second of a
-- processor for thirty thousand rows of every column: the longest waits of all tills were behind it. A quarter of the rows tells
-- the planner the same, and columns that nothing is looked up by need no statistics.
do $$
declare
  column_name text;
begin
  for column_name in
    select attname from pg_attribute where attrelid = 'receipts'::regclass and attnum > 0 and not attisdropped
  loop
    execute format('alter table receipts alter column %I set statistics %s', column_name,
      case when column_name in ('body', 'taxes', 'submitted_differences', 'signature', 'hash', 'previous_hash',
                                'key_version', 'configuration_version') then 0 else 25 end);
  end loop;
end $$;
alter index receipts_by_verification_code alter column 1 set statistics 25;

-- Receipts that were answered, are not in the database any more, and whose numbers an operator had passed over, by going
-- on behind the last of them. Nothing else may lie in such a gap.
create table lost_receipts (
  taxpayer_id uuid not null,
  device_id integer not null,
  first_counter integer not null check (first_counter > 0),
  last_counter integer not null check (last_counter >= first_counter),
  fiscal_day_number integer not null,                      -- of the last of them, as far as it is known
  fiscal_day_counter integer,
  hash bytea check (octet_length(hash) = 32),
  signed_date timestamp(0),
  set_at timestamptz not null,
  primary key (taxpayer_id, device_id, last_counter),
  foreign key (taxpayer_id, device_id) references devices
);
create trigger lost_receipts_append_only before update or delete on lost_receipts
  for each row execute function refuse_change();

-- What the authority answered to a receipt. No row: not yet answered. It lives apart because receipts never change, and without a
-- reference to them: that would lock, and so write to, a page of the largest table for every receipt, and none is ever deleted.
create table submissions (
  taxpayer_id uuid not null,
  device_id integer not null,
  global_counter integer not null,
  state text not null check (state in ('Pending', 'Submitted', 'Refused', 'Undeliverable')),
  settled_at timestamptz not null default now(),
  attempts integer not null default 0,
  failed_at timestamptz,
  error text,
  authority_receipt_id bigint,
  server_date timestamp(0),
  -- As the authority wrote it, where the column before gives back another text: with a fraction or a zone, which it may have signed, or a
  -- day that does not exist.
  server_date_text text,
  server_hash bytea,
  server_signature bytea,
  server_certificate_thumbprint text,
  is_server_signature_valid boolean,                       -- null: not judged yet
  remarks jsonb not null default '[]',                     -- [{code, colour, words}]
  worst_colour text,                                       -- a colour that is not known here is kept by its own name
  without_buyer boolean not null default false,            -- resent without the buyer's data, which is not signed
  primary key (taxpayer_id, device_id, global_counter),
  check ((failed_at is null) = (error is null))
);
create index submissions_to_look_at on submissions (taxpayer_id, device_id, global_counter)
  where state in ('Refused', 'Undeliverable') or worst_colour in ('Red', 'Grey');

-- An acceptance is recorded the moment the authority has answered; its signature is judged afterwards. These find what is still to be
-- judged, also after a crash, and are empty nearly always.
create index submissions_to_judge on submissions (server_certificate_thumbprint)
  where is_server_signature_valid is null and server_signature is not null;
create index fiscal_days_to_judge on fiscal_days (server_certificate_thumbprint)
  where is_server_signature_valid is null and server_signature is not null;

-- Certificates of the authority that verify its signatures.
create table authority_certificates (
  thumbprint text primary key,
  certificate_pem text not null,
  received_at timestamptz not null default now()
);

-- Every attempt to hand a receipt to the authority that did not succeed. One that was taken at once has no row: its submission
-- tells all. The same failure again and again is one row that counts.
create table submission_attempts (
  taxpayer_id uuid not null,
  device_id integer not null,
  global_counter integer not null,
  number integer not null check (number > 0),
  outcome text not null check (outcome in ('Unanswered', 'Refused', 'DeviceRefused')),
  code text,                                               -- the authority's own
  words text not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  times integer not null default 1 check (times > 0),
  primary key (taxpayer_id, device_id, global_counter, number),
  foreign key (taxpayer_id, device_id, global_counter) references receipts,
  check (last_at >= first_at)
);
create trigger submission_attempts_append_only before delete on submission_attempts
  for each row execute function refuse_change();
create trigger submission_attempts_only_count before update on submission_attempts
  for each row when (
    (old.taxpayer_id, old.device_id, old.global_counter, old.number, old.outcome, old.code, old.words, old.first_at)
      is distinct from (new.taxpayer_id, new.device_id, new.global_counter, new.number, new.outcome, new.code, new.words, new.first_at)
    or new.times <= old.times
  ) execute function refuse_change();
create trigger submission_attempts_never_truncated before truncate on submission_attempts
  for each statement execute function refuse_change();

-- What was sealed, by minute and currency: the overview's picture, so that it never has to read the receipts of a whole day.
-- A picture and not the books: a receipt committed more than ten seconds after it was sealed is missing in it.
create table receipt_minutes (
  minute timestamptz not null,
  currency text not null,
  receipts integer not null,
  total numeric(24, 2) not null,                           -- credit notes count against it
  primary key (minute, currency)
);
create table receipt_minutes_progress (
  is_only boolean primary key default true check (is_only),
  counted_through timestamptz not null
);
