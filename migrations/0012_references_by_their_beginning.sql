-- Whoever looks for a receipt or a payment often knows only how its reference begins. The unique index that every reference has
-- anyway finds those too, once it is in the order of bytes: nothing more is written for it. A database that was made in a
-- language's own order sorts its indexes anew here; one in the order of bytes, as the embedded one, looks the same afterwards.
alter table receipts alter column reference type text collate "C";
alter table payments alter column vendor_reference type text collate "C";
