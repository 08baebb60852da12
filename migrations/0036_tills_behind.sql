-- Works beside versions that have migration 0022.
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
