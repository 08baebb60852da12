-- Bill payments: vendors, billers, payments, automatic invoices, target statistics, webhooks. The tenant is the vendor.
-- Nothing here refers to a table of the signing service: it is known only by its API.

create table vendors (
  vendor_id uuid primary key,
  vendor_code text not null unique check (vendor_code ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$'),
  name text not null,
  suspended_at timestamptz,
  callback_url text,                                       -- null: not told of changes, may still ask
  callback_token_encrypted bytea,                          -- what the vendor wants as Bearer on its webhook
  webhook_secret_encrypted bytea not null,                 -- signs the Standard Webhooks header
  fiscal_token_encrypted bytea,                            -- the vendor's token at the signing service
  fiscal_device_id integer,
  created_at timestamptz not null default now()
);

alter table tokens add foreign key (vendor_id) references vendors;
create constraint trigger vendors_changed after update of vendor_code, name, suspended_at on vendors
  deferrable initially deferred for each row when (old.* is distinct from new.*) execute function note_token_change();

-- A biller's configuration is one document, exactly as ListBillers shows it; `revision` moves with every change.
-- `changed_at` increases strictly over all billers in commit order, so `changedSince` can miss nothing.
create table billers (
  biller_code text primary key check (biller_code ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$'),
  revision integer not null check (revision > 0),
  configuration text not null,                             -- JSON, numbers as they were given
  connector text not null check (connector in ('Offline', 'Test')),
  changed_at timestamptz(3) not null,
  created_at timestamptz not null default now()
);

alter table tokens add foreign key (biller_code) references billers;

-- Which vendors see which billers. A withdrawn one stays as a row: changedSince shows it once more, as not enabled.
create table vendor_billers (
  vendor_id uuid not null references vendors,
  biller_code text not null references billers,
  is_visible boolean not null,
  withdrawn_configuration text,                            -- what a withdrawn one was, not enabled: later changes are not theirs
  changed_at timestamptz(3) not null,
  primary key (vendor_id, biller_code),
  check (is_visible = (withdrawn_configuration is null))
);
create index vendor_billers_by_biller on vendor_billers (biller_code);

create table payments (
  vendor_id uuid not null references vendors,
  payment_id bigint generated always as identity,
  vendor_reference text collate "C" not null,               -- in the order of bytes: its index also finds those that begin like it
  bill_pay_reference text not null,
  biller_code text not null references billers,
  member_number text not null,
  member_name text,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount numeric(19, 2) not null check (amount > 0),       -- without the fee
  fee numeric(19, 2) not null check (fee >= 0),
  units bigint not null check (units >= 0),                -- sum of the products' quantities
  products text not null,                                  -- JSON, as it is answered
  meta_data text not null,                                 -- JSON, as it is answered
  feed_meta_data text,                                     -- with that of its products, as they were; null: the same
  payment_type text not null,
  narration text,
  status text not null check (status in ('Authorised', 'BeingPaid', 'Paid', 'Failed', 'Flagged', 'Reversed')),
  created_at timestamptz(3) not null,
  paid_at timestamptz(3),                                  -- strictly increasing per biller, in commit order
  reversed_at timestamptz(3),
  -- While BeingPaid: when to ask the biller again, and who is asking.
  next_attempt_at timestamptz,
  locked_until timestamptz,
  attempts integer not null default 0,
  primary key (vendor_id, payment_id),
  check ((status in ('Paid', 'Reversed')) = (paid_at is not null)),
  check ((status = 'Reversed') = (reversed_at is not null)),
  check ((status = 'BeingPaid') = (next_attempt_at is not null))
);
-- Not led by the vendor: on a small table the planner would take it for a look-up by the primary key, and a plan that is kept
-- (that of a foreign key's check, for example) would read all of a vendor's payments as the table grows.
create unique index payments_reference_once on payments (vendor_reference, vendor_id);
create unique index payments_bill_pay_reference_once on payments (bill_pay_reference);
create unique index payments_moment_once on payments (biller_code, paid_at) where paid_at is not null;
create index payments_feed on payments (biller_code, paid_at) where status = 'Paid';
create index payments_feed_by_currency on payments (biller_code, currency, paid_at) where status = 'Paid';
create index payments_due on payments (next_attempt_at) where status = 'BeingPaid';
-- Payments are listed by our own reference, whose order is that of time; what was paid at once pays for one index only.
create index payments_by_member on payments (member_number, bill_pay_reference);
create index payments_unpaid on payments (status, bill_pay_reference) where status <> 'Paid';
create index payments_reversed on payments (reversed_at) where reversed_at is not null;
-- A plan made on an empty table reads all of it; the planner shall know early that it is not empty any more.
alter table payments set (autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05);

-- Every change of state, with its cause.
create table payment_transitions (
  vendor_id uuid not null,
  payment_id bigint not null,
  number integer not null check (number > 0),
  from_status text,
  to_status text not null,
  at timestamptz(3) not null,
  cause text not null,
  primary key (vendor_id, payment_id, number),
  foreign key (vendor_id, payment_id) references payments
);
create trigger payment_transitions_append_only before update or delete on payment_transitions
  for each row execute function refuse_change();

-- The last moment at which a payment of the biller became Paid. Its row lock, held until the commit, puts the payments of a
-- biller in one order: for the feed and for the target's figures.
create table biller_clocks (
  biller_code text primary key references billers,
  last_paid_at timestamptz(3)
) with (fillfactor = 50);

-- What a target has achieved, kept up by every payment. A new since-date builds a period beside the current one: payments up to
-- `live_after` are counted in the background (`counted_through` says how far), later ones as they are paid.
create table target_periods (
  period_id bigint generated always as identity primary key,
  biller_code text not null references billers,
  since timestamptz(3),                                    -- null: ever
  state text not null check (state in ('Building', 'Current', 'Retired')),
  live_after timestamptz(3),                               -- null: there was no payment before
  counted_through timestamptz(3),                          -- null: nothing counted yet
  next_attempt_at timestamptz not null default now(),
  locked_until timestamptz,
  created_at timestamptz not null default now()
);
create unique index target_periods_one_of_each on target_periods (biller_code, state) where state <> 'Retired';
create index target_periods_due on target_periods (next_attempt_at) where state <> 'Current';

-- currency '' holds all currencies together.
create table target_totals (
  period_id bigint not null references target_periods,
  currency text not null,
  amount numeric(30, 2) not null,
  units bigint not null,
  payer_count bigint not null check (payer_count >= 0),
  primary key (period_id, currency)
) with (fillfactor = 50);
-- Without a foreign key: checking it is a quarter of the cost of counting, and payments wait meanwhile.
create table target_payers (
  period_id bigint not null,                               -- of target_periods
  currency text not null,
  member_number text not null,
  payments integer not null check (payments > 0),
  primary key (period_id, currency, member_number)
);

-- Invoices and credit notes that the service makes for payments. The body is stored before the first attempt and sent
-- unchanged until it is answered. A credit note waits (next_attempt_at = infinity) for its invoice to be sealed.
create table payment_invoices (
  vendor_id uuid not null,
  payment_id bigint not null,
  kind text not null check (kind in ('Invoice', 'CreditNote')),
  invoice_reference text not null unique check (length(invoice_reference) <= 50),
  state text not null check (state in ('Waiting', 'Sealed', 'Rejected')),
  body text,                                               -- once sealed: the receipt as the signing service answered it
  is_date_spent boolean not null default false,            -- refused for now: gets a new Date before the next attempt
  fiscal_signature text,                                   -- what the QR code shows
  fiscal_metadata text,                                    -- JSON, as it is answered
  last_status integer,
  error text,
  errors text,                                             -- JSON: the signing service's own list
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  locked_until timestamptz,
  created_at timestamptz not null,
  sealed_at timestamptz,
  primary key (vendor_id, payment_id, kind),
  foreign key (vendor_id, payment_id) references payments,
  check ((state = 'Sealed') = (sealed_at is not null)),
  check ((state = 'Sealed') = (fiscal_signature is not null)),
  check ((state = 'Sealed') = (fiscal_metadata is not null))
);
create index payment_invoices_due on payment_invoices (next_attempt_at) where state = 'Waiting';
create index payment_invoices_unsealed on payment_invoices (created_at, invoice_reference) where state <> 'Sealed';
create index payment_invoices_newest on payment_invoices (created_at, invoice_reference);
create index payment_invoices_newest_of_vendor on payment_invoices (vendor_id, created_at, invoice_reference);
alter table payment_invoices set (autovacuum_analyze_threshold = 200, autovacuum_analyze_scale_factor = 0.05);

-- Configuration webhooks. Changes within a second gather in one delivery that has not been sent yet.
create table webhook_deliveries (
  vendor_id uuid not null references vendors,
  delivery_id uuid not null,
  biller_codes text[] not null,
  state text not null check (state in ('Pending', 'Delivered', 'Exhausted')),
  is_gathering boolean not null default true,
  attempts integer not null default 0,
  most_attempts integer not null default 3,                -- raised by a resend by hand
  next_attempt_at timestamptz not null,
  locked_until timestamptz,
  created_at timestamptz not null,
  delivered_at timestamptz,
  primary key (vendor_id, delivery_id)
);
create unique index webhook_deliveries_one_gathering on webhook_deliveries (vendor_id) where is_gathering;
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where state = 'Pending';
create index webhook_deliveries_pending_of_vendor on webhook_deliveries (vendor_id, next_attempt_at) where state = 'Pending';
create index webhook_deliveries_newest on webhook_deliveries (created_at, delivery_id);
create unique index webhook_deliveries_by_id on webhook_deliveries (delivery_id);

-- Recorded before it is sent: an attempt without an end was cut off by a crash, and counts.
create table webhook_attempts (
  vendor_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  status_code integer,
  answer text,                                             -- its first kilobyte
  error text,
  primary key (vendor_id, delivery_id, number),
  foreign key (vendor_id, delivery_id) references webhook_deliveries
);

-- What was paid, by minute and currency, like receipt_minutes: the overview's picture, and not the books.
create table payment_minutes (
  minute timestamptz not null,
  currency text not null,
  payments integer not null,                               -- that became paid in it
  total numeric(24, 2) not null,                           -- fees included; reversals count against the minute they were made in
  primary key (minute, currency)
);
create table payment_minutes_progress (
  is_only boolean primary key default true check (is_only),
  counted_through timestamptz not null
);
