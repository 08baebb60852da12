/** The authority's own memory: one SQLite file. Dates are wall-clock seconds in the authority's zone, amounts exact text. */
export const SCHEMA = `
create table if not exists settings (
  name text primary key,
  value text not null
) strict;

create table if not exists taxpayers (
  tin text primary key,
  name text not null,
  vat_number text,
  status text not null check (status in ('Active', 'Inactive'))
) strict;

create table if not exists devices (
  device_id integer primary key,
  tin text not null references taxpayers,
  serial_no text not null,
  activation_key text,
  branch text not null,
  operating_mode text not null check (operating_mode in ('Online', 'Offline')),
  status text not null check (status in ('Active', 'Blocked', 'Deactivated')),
  day_max_hours integer not null,
  notification_hours integer not null,
  certificate_seconds integer not null,
  taxes text not null
) strict;

create table if not exists certificates (
  certificate_id integer primary key autoincrement,
  device_id integer not null references devices,
  fingerprint text not null unique,
  pem text not null,
  valid_from integer not null,
  valid_till integer not null,
  status text not null check (status in ('Issued', 'Active', 'Revoked'))
) strict;
create index if not exists certificates_of_device on certificates (device_id);

create table if not exists fiscal_days (
  device_id integer not null references devices,
  day_no integer not null,
  opened_at integer not null,
  status text not null,
  mode text,
  closed_at integer,
  closing_error text,
  close_request text,
  close_certificate_id integer,
  server_signature text,
  counters text,
  documents text,
  primary key (device_id, day_no)
) strict;

create table if not exists submitted_receipts (
  receipt_id integer primary key autoincrement,
  device_id integer not null references devices,
  tin text not null,
  day_no integer not null,
  global_no integer not null,
  counter integer not null,
  invoice_no text not null,
  type text not null,
  currency text not null,
  date integer not null,
  total text not null,
  amounts text not null,
  hash text not null,
  signature text not null,
  certificate_id integer not null,
  original_id integer,
  remarks text not null,
  is_grey integer not null,
  is_red integer not null,
  server_date integer not null,
  server_signature text not null,
  request text not null,
  foreign key (device_id, day_no) references fiscal_days (device_id, day_no)
) strict;
create index if not exists receipts_by_number on submitted_receipts (device_id, global_no);
create index if not exists receipts_by_day on submitted_receipts (device_id, day_no, global_no);
create index if not exists receipts_by_counter on submitted_receipts (device_id, day_no, counter);
create index if not exists receipts_by_invoice_no on submitted_receipts (tin, invoice_no);
create index if not exists receipts_by_original on submitted_receipts (original_id) where original_id is not null;
create index if not exists receipts_by_date on submitted_receipts (device_id, date);
`;
