-- Works beside versions that have migration 0022.
-- Alerts are told to whoever wants to know: as events of their tenant, and of the installation, which is told of all of them.
alter table alerts
  add column announced_at timestamptz,                     -- null: nobody was told yet that it was raised
  add column solved_announced_at timestamptz;
update alerts set announced_at = cleared_at, solved_announced_at = cleared_at where cleared_at is not null;
create index alerts_to_announce on alerts (alert_id)
  where announced_at is null or (cleared_at is not null and solved_announced_at is null);

create table alert_events (
  number bigint primary key,
  type text not null,
  at timestamptz not null,
  data jsonb not null
);
create trigger alert_events_append_only before update or delete on alert_events
  for each row execute function refuse_change();
create table alert_event_counter (                          -- without a row until the first event
  is_only boolean primary key default true check (is_only),
  last_number bigint not null
) with (fillfactor = 50);

create or replace view feeds as
select t.taxpayer_id as tenant_id, c.last_number, t.suspended_at is not null as is_suspended
  from taxpayers t join event_counters c using (taxpayer_id)
union all
select v.vendor_id, c.last_number, v.suspended_at is not null
  from vendors v join vendor_event_counters c using (vendor_id)
union all
select '00000000-0000-0000-0000-000000000000', coalesce((select last_number from alert_event_counter), 0), false;
