-- Works beside versions that have migration 0022.
-- A device that was registered after a backup was made is missing in what was restored from it. While this row is there, an unknown device
-- is answered as one on hold, so that its tills wait and set nothing aside. An operator who says that all devices are here removes it.
create table restored_installation (
  is_only boolean primary key default true check (is_only),
  backup_taken_at timestamptz,                             -- null: not known
  marked_at timestamptz not null
);

-- An alert may be about the whole installation.
alter table alerts drop constraint alerts_check;
alter table alerts add constraint alerts_of_one_tenant check (taxpayer_id is null or vendor_id is null);
create unique index alerts_of_installation_open_once on alerts (kind, subject)
  where cleared_at is null and taxpayer_id is null and vendor_id is null;

-- A backup of an older version gets here with its devices just put on hold.
insert into restored_installation (marked_at)
select min(raised_at) from alerts where kind = 'RestoredFromBackup' and cleared_at is null having count(*) > 0;
insert into alerts (kind, subject, message)
select 'DevicesIncomplete', 'installation',
       'This installation was restored from a backup. Devices registered after it was made are missing, and their tills are told to wait. Register them again; then say that all devices are here, on the overview or with tillseal restore complete.'
  from restored_installation;
