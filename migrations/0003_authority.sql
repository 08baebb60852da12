-- The tax authority: what it answered, the fiscal days, the lane in which each device talks to it, events and alerts.

-- What the authority answered to a receipt. No row: not yet answered.
alter table submissions
  add column settled_at timestamptz not null default now(),
  add column attempts integer not null default 0,
  add column authority_receipt_id bigint,
  add column server_date timestamp(0),
  add column server_hash bytea,
  add column server_signature bytea,
  add column server_certificate_thumbprint text,
  add column is_server_signature_valid boolean,
  add column remarks jsonb not null default '[]',          -- [{code, colour, words}]
  add column worst_colour text check (worst_colour in ('Red', 'Yellow', 'Grey')),
  add column without_buyer boolean not null default false; -- resent without the buyer's data, which is not signed

create index submissions_to_look_at on submissions (taxpayer_id, device_id, global_counter)
  where state in ('Refused', 'Undeliverable') or worst_colour in ('Red', 'Grey');

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
  closed_at timestamptz,
  closed_wall timestamp(0),
  reconciliation text check (reconciliation in ('Auto', 'Manual')),
  receipt_count integer,
  counters jsonb,
  device_hash bytea,
  device_signature bytea,
  key_version integer,
  server_hash bytea,
  server_signature bytea,
  server_certificate_thumbprint text,
  is_server_signature_valid boolean,
  primary key (taxpayer_id, device_id, fiscal_day_number),
  foreign key (taxpayer_id, device_id) references devices
);

-- One actor per device talks to the authority, whichever instance it runs on. The fencing token makes sure that one whose
-- lease ran out while it slept cannot write any more.
create table device_lanes (
  taxpayer_id uuid not null,
  device_id integer not null,
  submitted_through integer not null default 0,            -- every receipt up to here is settled
  next_step_at timestamptz not null default '-infinity',
  paused_until timestamptz,
  stopped_reason text,                                     -- an operator has to decide; nothing is sent meanwhile
  attempts integer not null default 0,
  failed_at timestamptz,
  error text,
  locked_until timestamptz,
  fencing_token bigint not null default 0,
  requested text check (requested in ('open', 'close')),   -- by hand
  reopen_after timestamptz,                                -- closed by hand: stay closed until then
  configuration_checked_at timestamptz,
  status_checked_at timestamptz,
  pinged_at timestamptz,
  ping_minutes integer not null default 5,
  certificate_tried_at timestamptz,
  primary key (taxpayer_id, device_id),
  foreign key (taxpayer_id, device_id) references devices
) with (fillfactor = 70);
create index device_lanes_due on device_lanes (next_step_at);

alter table devices
  add column serial_number text,
  add column registered_at timestamptz;

alter table device_configurations
  add column operating_mode text not null default 'Online',
  add column taxpayer_name text,
  add column taxpayer_tin text,
  add column vat_number text,
  add column branch_name text,
  add column branch_address jsonb,
  add column branch_contacts jsonb,
  add column day_end_notification_hours integer not null default 2;

-- Certificates of the authority that verify its signatures.
create table authority_certificates (
  thumbprint text primary key,
  certificate_pem text not null,
  received_at timestamptz not null default now()
);

-- Events: numbered per taxpayer without gaps in commit order. The counter's row lock, held until the commit, is what makes
-- it so. A sealed receipt is its own event (receipts.event_number); all others have a row.
create table event_counters (
  taxpayer_id uuid primary key references taxpayers,
  last_number bigint not null default 0
) with (fillfactor = 50);
insert into event_counters (taxpayer_id) select taxpayer_id from taxpayers;

alter table receipts add column event_number bigint;
create unique index receipts_by_event on receipts (taxpayer_id, event_number);

create table events (
  taxpayer_id uuid not null,
  number bigint not null,
  type text not null,
  at timestamptz not null,
  data jsonb not null,
  primary key (taxpayer_id, number)
);
create trigger events_append_only before update or delete on events
  for each row execute function refuse_change();

-- What a person has to look at. One open alert per matter; it is cleared by itself when the matter is settled.
create table alerts (
  alert_id bigint generated always as identity primary key,
  taxpayer_id uuid not null references taxpayers,
  device_id integer,
  kind text not null,
  subject text not null,
  message text not null,
  raised_at timestamptz not null default now(),
  acknowledged_at timestamptz,
  acknowledged_by text,
  cleared_at timestamptz
);
create unique index alerts_open_once on alerts (taxpayer_id, kind, subject) where cleared_at is null;

alter table devices add column is_blocked_by_authority boolean not null default false;
alter table device_lanes add column is_outage boolean not null default false; -- paused because nobody answered

-- The look-up by reference must use its own index from the first receipt on. On an empty table all indexes that begin with
-- taxpayer_id cost the planner the same, a prepared statement keeps the plan it got then, and of equals the newest index
-- wins: measured, the wrong one cost three quarters of the throughput until the next analyze. Hence made last, and analysed
-- early.
alter table receipts drop constraint receipts_reference_once;
alter table receipts add constraint receipts_reference_once unique (taxpayer_id, reference);
alter table receipts set (autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05);
