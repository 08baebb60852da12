-- The number a device stood at when it was registered here: what is at or below it was sealed elsewhere, everything above is sealed
-- here and named by its reference. Null until the registration is complete. For a device that was registered before this was
-- kept: the number before its first receipt here, or where its head stands if it has none.
alter table devices add column registered_counter integer check (registered_counter >= 0);
update devices d
   set registered_counter = coalesce(
         (select min(r.global_counter) - 1 from receipts r
           where r.taxpayer_id = d.taxpayer_id and r.device_id = d.device_id),
         h.global_counter)
  from device_heads h
 where h.taxpayer_id = d.taxpayer_id and h.device_id = d.device_id;
