-- What finding things costs when there are millions of them, payments by minute, and every attempt at the authority.

-- An amount that somebody remembers, newest first. Every receipt pays for it: hence one index, and as narrow as it can be. Not
-- led by taxpayer_id: the end of 0003 tells what such an index did to the look-up by reference.
create index receipts_by_amount on receipts (total, sealed_at);

-- Payments are listed by our own reference, whose order is that of time; what was paid at once pays for one index only.
create index payments_by_member on payments (member_number, bill_pay_reference);
create index payments_unpaid on payments (status, bill_pay_reference) where status <> 'Paid';
create index payments_reversed on payments (reversed_at) where reversed_at is not null;

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
