-- Works beside versions that have migration 0022.
-- Configurations of the authority that were not put in force, because they list no tax or could not be read: the last one for each reason,
-- since the authority is asked again every minute. The one in force stays.
create table unusable_configurations (
  taxpayer_id uuid not null,
  device_id integer not null,
  reason text not null,
  body text not null,
  first_received_at timestamptz not null,
  received_at timestamptz not null,
  primary key (taxpayer_id, device_id, reason),
  foreign key (taxpayer_id, device_id) references devices
);
