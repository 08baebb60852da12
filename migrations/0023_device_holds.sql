-- Works beside versions that have migration 0022.
-- Why a device seals nothing: one row for each reason, so that whoever may end one of them ends that one and no other.
create table device_holds (
  taxpayer_id uuid not null,
  device_id integer not null,
  kind text not null check (kind in ('Operator', 'Restored', 'AuthorityAhead', 'Refused', 'RowsLost')),
  reason text not null,
  since timestamptz not null default now(),
  known jsonb,                                             -- RowsLost: the last receipt that any instance had answered
  primary key (taxpayer_id, device_id, kind),
  foreign key (taxpayer_id, device_id) references devices
);

-- Receipts that were answered, are not in the database any more, and whose numbers an operator had passed over: by setting the head of
-- the chain to the last of them. Nothing else may lie in such a gap.
create table lost_receipts (
  taxpayer_id uuid not null,
  device_id integer not null,
  first_counter integer not null check (first_counter > 0),
  last_counter integer not null check (last_counter >= first_counter),
  fiscal_day_number integer not null,                      -- of the last of them, as far as it is known
  fiscal_day_counter integer,
  hash bytea check (octet_length(hash) = 32),
  signed_date timestamp(0),
  set_at timestamptz not null,
  primary key (taxpayer_id, device_id, last_counter),
  foreign key (taxpayer_id, device_id) references devices
);
create trigger lost_receipts_append_only before update or delete on lost_receipts
  for each row execute function refuse_change();

-- What the authority said when it was last asked (status_checked_at); and since when it is to be asked anew, whatever was said before.
alter table device_lanes add column authority_counter integer;
alter table device_lanes add column authority_day integer;
alter table device_lanes add column authority_day_status text;
alter table device_lanes add column compare_wanted_at timestamptz;

-- Version 0.2.0 keeps all reasons in devices.blocked_reason and tells them apart by their words.
insert into device_holds (taxpayer_id, device_id, kind, reason, since)
select d.taxpayer_id, d.device_id, held.kind, held.reason, coalesce(a.raised_at, now())
  from devices d
 cross join lateral (
   select case when d.is_blocked_by_authority then 'Refused'
               when d.blocked_reason like 'restored from a backup: %' then 'Restored'
               when d.blocked_reason like 'its chain here is old: %' then 'AuthorityAhead'
               else 'Operator' end as kind,
          regexp_replace(d.blocked_reason, '^its chain here is old: ', '') as reason
    where d.blocked_reason is not null
   union
   -- Where an operator's block was there first, only an alert says that the device waits for the authority's word.
   select case o.kind when 'AuthorityAhead' then 'AuthorityAhead' else 'Restored' end, o.message
     from alerts o
    where o.taxpayer_id = d.taxpayer_id and o.subject = 'device ' || d.device_id and o.cleared_at is null
      and o.kind in ('RestoredFromBackup', 'AuthorityAhead')
      and coalesce(d.blocked_reason, '') not like 'restored from a backup: %'
      and coalesce(d.blocked_reason, '') not like 'its chain here is old: %') held
  left join alerts a
    on a.taxpayer_id = d.taxpayer_id and a.subject = 'device ' || d.device_id and a.cleared_at is null
   and a.kind = case held.kind when 'Refused' then 'DeviceRefused' when 'Restored' then 'RestoredFromBackup' else held.kind end
on conflict do nothing;

-- An instance of 0.2.0 that runs beside this version reads and writes that column only. So the column shows one of the holds, in the words
-- by which 0.2.0 knows them, and such an instance seals nothing either; and what it writes there becomes, or ends, the hold that
-- its words stand for. What it cannot do is end a hold for lost rows: the column shows it again. What it still does on such a
-- device is submit what is left of it. Both triggers and both columns can go with the version after this one.
create function show_hold_to_old_versions() returns trigger language plpgsql as $$
declare
  whose device_holds;
begin
  if tg_op = 'DELETE' then whose := old; else whose := new; end if;
  update devices d
     set blocked_reason = shown.words, is_blocked_by_authority = shown.is_refused
    from (select (select case h.kind when 'Restored'
                           then 'restored from a backup: waiting for the authority''s word on its last receipt'
                         when 'AuthorityAhead' then 'its chain here is old: ' || h.reason
                         else h.reason end
                    from device_holds h
                   where h.taxpayer_id = whose.taxpayer_id and h.device_id = whose.device_id
                   order by array_position(array['RowsLost', 'Operator', 'Restored', 'AuthorityAhead', 'Refused'], h.kind)
                   limit 1) as words,
                 exists (select from device_holds h where h.taxpayer_id = whose.taxpayer_id and h.device_id = whose.device_id
                            and h.kind = 'Refused') as is_refused) shown
   where d.taxpayer_id = whose.taxpayer_id and d.device_id = whose.device_id
     and (d.blocked_reason, d.is_blocked_by_authority) is distinct from (shown.words, shown.is_refused);
  return null;
end $$;
create trigger device_holds_shown after insert or update or delete on device_holds
  for each row execute function show_hold_to_old_versions();

create function take_hold_of_old_versions() returns trigger language plpgsql as $$
begin
  if new.blocked_reason is null or (old.blocked_reason like 'restored from a backup: %' and new.blocked_reason like 'its chain here is old: %')
  then
    delete from device_holds h
     where h.taxpayer_id = new.taxpayer_id and h.device_id = new.device_id and h.kind <> 'RowsLost'
       and case when old.is_blocked_by_authority and not new.is_blocked_by_authority then h.kind = 'Refused'
                when old.blocked_reason like 'restored from a backup: %' then h.kind = 'Restored'
                when old.blocked_reason like 'its chain here is old: %' then h.kind = 'AuthorityAhead'
                else h.reason = old.blocked_reason end;
  end if;
  if new.blocked_reason is not null then
    insert into device_holds (taxpayer_id, device_id, kind, reason)
    select new.taxpayer_id, new.device_id,
           case when new.is_blocked_by_authority and not old.is_blocked_by_authority then 'Refused'
                when new.blocked_reason like 'restored from a backup: %' then 'Restored'
                when new.blocked_reason like 'its chain here is old: %' then 'AuthorityAhead'
                else 'Operator' end,
           regexp_replace(new.blocked_reason, '^its chain here is old: ', '')
    on conflict (taxpayer_id, device_id, kind) do update set reason = excluded.reason;
  elsif exists (select from device_holds h where h.taxpayer_id = new.taxpayer_id and h.device_id = new.device_id) then
    update device_holds set reason = reason where taxpayer_id = new.taxpayer_id and device_id = new.device_id;
  end if;
  return null;
end $$;
create trigger devices_held_by_old_versions after update of blocked_reason, is_blocked_by_authority on devices
  for each row
  when (pg_trigger_depth() = 0 and (old.blocked_reason, old.is_blocked_by_authority) is distinct from (new.blocked_reason, new.is_blocked_by_authority))
  execute function take_hold_of_old_versions();
