-- Works beside versions that have migration 0022.
-- When a device could seal nothing outside its maintenance window. The law wants a report of one that lasts; the authority answers it with a
-- reference number, which is acquitted when the device works again.
create table outages (
  outage_id bigint generated always as identity primary key,
  taxpayer_id uuid not null,
  device_id integer not null,
  code text not null,                                      -- what a till was answered last
  problem text not null,
  began_at timestamptz not null,
  told_at timestamptz,                                     -- null: may be over in a moment, and is then forgotten
  reminded_at timestamptz,                                 -- of the report that is due
  ended_at timestamptz,
  sales_recording text,                                    -- how sales are recorded meanwhile; null: as clients do
  reference_number text,
  reported_at timestamptz,
  acquitted_at timestamptz,
  is_open boolean not null generated always as (ended_at is null or (reference_number is not null and acquitted_at is null)) stored,
  foreign key (taxpayer_id, device_id) references devices,
  check ((reference_number is null) = (reported_at is null)),
  check (acquitted_at is null or (reference_number is not null and ended_at is not null))
);
create unique index outages_one_at_a_time on outages (device_id) where ended_at is null;
create index outages_listed on outages (is_open, outage_id);
create index outages_by_taxpayer on outages (taxpayer_id, is_open, outage_id);
