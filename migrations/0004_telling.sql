-- What is told, and to whom: events, alerts, and the endpoints that are sent them. Used by both services.

-- Events: numbered per tenant (taxpayer, vendor or, all zeros, the installation, which is told of all alerts) without gaps in commit order.
-- The counter's row lock, held until the commit, is what makes it so. A sealed receipt is its own event (receipts.event_number); all
-- others have a row.
create table event_counters (
  tenant_id uuid primary key,                              -- the installation has none until its first event
  last_number bigint not null default 0
) with (fillfactor = 50);
create table events (
  tenant_id uuid not null,
  number bigint not null,
  type text not null,
  at timestamptz not null,
  data jsonb not null,
  primary key (tenant_id, number)
);
create trigger events_append_only before update or delete on events
  for each row execute function refuse_change();

-- What is wrong: of a taxpayer, a vendor or, without either, the installation. Kinds are in src/contract/shared/kinds.ts; some of a device
-- stop its sealing, and move its head's revision. One open row per matter; it is cleared when the matter is settled.
create table alerts (
  alert_id bigint generated always as identity primary key,
  taxpayer_id uuid references taxpayers,
  vendor_id uuid references vendors,
  tenant_id uuid not null generated always as
    (coalesce(taxpayer_id, vendor_id, '00000000-0000-0000-0000-000000000000')) stored,
  device_id integer,
  kind text not null,
  what text,                                               -- where there is one for each thing
  message text not null,
  data jsonb,                                              -- beside the words; never listed or sent
  since timestamptz not null default now(),                -- when it began
  raised_at timestamptz not null default now(),
  acknowledged_at timestamptz,
  acknowledged_by text,
  cleared_at timestamptz,
  announced_at timestamptz,                                -- null: nobody was told yet that it was raised
  solved_announced_at timestamptz,
  -- Nobody is told (again) before. Null: as soon as it has lasted. That commits wait for a standby is told apart from the feed, whose events are commits
  -- themselves; an owner's endpoints that are paused again within an hour are told of when it has passed.
  tell_at timestamptz,
  constraint alerts_of_one_tenant check (taxpayer_id is null or vendor_id is null)
);
create unique index alerts_open_once on alerts (tenant_id, device_id, kind, what) nulls not distinct where cleared_at is null;
create index alerts_to_announce on alerts (alert_id)
  where kind <> 'Operator' and (announced_at is null or (cleared_at is not null and solved_announced_at is null));

-- When a device could seal nothing outside its maintenance window. The law wants a report of one that lasts; the authority answers it with a
-- reference number, which is acquitted when the device works again.
create table outages (
  outage_id bigint generated always as identity primary key,
  taxpayer_id uuid not null,
  device_id integer not null,
  alert_id bigint references alerts,                       -- null: nobody was told; it may be over in a moment, and is then forgotten
  code text not null,                                      -- what a till was answered last
  problem text not null,
  began_at timestamptz not null,
  reminded_at timestamptz,                                 -- of the report that is due
  ended_at timestamptz,
  sales_recording text,                                    -- how sales are recorded meanwhile; null: as clients do
  reference_number text,
  reported_at timestamptz,
  acquitted_at timestamptz,
  foreign key (taxpayer_id, device_id) references devices,
  check ((reference_number is null) = (reported_at is null)),
  check (acquitted_at is null or (reference_number is not null and ended_at is not null))
);
create unique index outages_one_at_a_time on outages (device_id) where ended_at is null;
create unique index outages_of_alert on outages (alert_id);
create index outages_to_acquit on outages (alert_id) where ended_at is not null and reference_number is not null and acquitted_at is null;

-- Addresses that are told of events. An endpoint is an address, a cursor over a feed whose numbers have no gaps, and a policy. What is
-- sent is read from the feed: sealing and payments write nothing for it.
create table endpoints (
  endpoint_id uuid primary key,
  taxpayer_id uuid references taxpayers,
  vendor_id uuid references vendors,
  biller_code text references billers,                     -- of the vendor's events only its payments
  -- Whose feed and whose data key. All zeros: the installation's own.
  tenant_id uuid not null generated always as
    (coalesce(taxpayer_id, vendor_id, '00000000-0000-0000-0000-000000000000')) stored,
  address text not null,                                   -- https:, http: or mailto:
  description text not null,
  event_types text[] not null,
  alert_kinds text[] not null,                             -- empty: all
  batch_size integer not null check (batch_size between 1 and 100),
  max_per_second integer check (max_per_second between 1 and 100),
  is_held_on_refusal boolean not null,
  header_name text,
  header_value_encrypted bytea,
  secret_encrypted bytea,                                  -- null for mail, which is not signed
  old_secret_encrypted bytea,
  old_secret_until timestamptz,
  state text not null default 'Active' check (state in ('Active', 'Paused', 'Unconfirmed')),
  pause_reason text,
  paused_at timestamptz,
  cursor bigint not null check (cursor >= 0),              -- the last number that is dealt with
  batch_last bigint check (batch_last > cursor),           -- the end of the batch that is being tried: every try is of the same events
  attempts integer not null default 0,                     -- of that batch that failed
  refusals integer not null default 0,                     -- of these, answers that refused it
  singly_until bigint,                                     -- up to here events go alone, because some of them are refused
  set_aside_in_row integer not null default 0,             -- without one that was taken between them
  next_attempt_at timestamptz not null,
  last_taken_at timestamptz,
  locked_until timestamptz,
  revision integer not null default 0,                     -- moves with every change by its owner, so that work under way notices
  created_at timestamptz not null,
  check (taxpayer_id is null or vendor_id is null),
  check (biller_code is null or vendor_id is not null),
  check ((state = 'Paused') = (paused_at is not null and pause_reason is not null)),
  check ((header_name is null) = (header_value_encrypted is null)),
  check ((old_secret_encrypted is null) = (old_secret_until is null)),
  check ((secret_encrypted is null) = (address like 'mailto:%'))
) with (fillfactor = 50);                                  -- moved with every delivery; no index is on what moves
create index endpoints_of_tenant on endpoints (tenant_id);
create index endpoints_of_biller on endpoints (biller_code) where biller_code is not null;

-- One row for each request, kept for thirty days.
create table endpoint_attempts (
  attempt_id bigint generated always as identity primary key,
  endpoint_id uuid not null references endpoints on delete cascade,
  message_id text not null,                                -- the header webhook-id
  first_number bigint not null,
  last_number bigint not null,
  event_count integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  outcome text not null check (outcome in ('Taken', 'Refused', 'Failed')),
  status_code integer,
  answer text,                                             -- its first kilobyte
  error text
);
create index endpoint_attempts_newest on endpoint_attempts (endpoint_id, attempt_id);
create index endpoint_attempts_by_age on endpoint_attempts using brin (started_at);

-- Events that an endpoint refused again and again: the others went on without them.
create table endpoint_set_aside (
  endpoint_id uuid not null references endpoints on delete cascade,
  number bigint not null,
  type text not null,
  refused_at timestamptz not null,
  error text not null,
  primary key (endpoint_id, number)
);
