-- Outside a transaction.
-- The notes of a receipt are looked up whenever one is sealed and whenever a receipt is accepted. With every index that begins with
-- the taxpayer the planner takes another one for as good while there are few receipts, keeps that plan, and reads all receipts
-- of the taxpayer until statistics are gathered. By its device first only this index can answer; whose note it is, is looked at then.
create index concurrently if not exists receipts_by_original_number on receipts (original_device_id, original_global_counter)
  where original_global_counter is not null;
drop index concurrently if exists receipts_by_original;
