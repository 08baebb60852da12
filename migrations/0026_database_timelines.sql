-- Works beside versions that have migration 0022.
-- The timelines of the database servers that this installation has worked with. A new one means that a standby was promoted: devices are
-- compared with the authority, which may know receipts that this server never got.
create table database_timelines (
  timeline integer primary key,
  since timestamptz not null default now()
);
