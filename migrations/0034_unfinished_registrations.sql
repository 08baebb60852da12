-- Works beside versions that have migration 0022.
-- A device that turns out to be another taxpayer's while it is being registered is taken out again: it has sealed nothing.
drop trigger devices_never_deleted on devices;
create trigger devices_never_deleted before delete on devices
  for each row when (old.registered_at is not null or old.registered_counter is not null) execute function refuse_change();
