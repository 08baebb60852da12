-- An instance remembers who is behind a token until something about tokens or their holders has changed. One number tells; it is
-- raised at the end of a transaction, so that nothing waits for it with a lock in hand, and seen only together with the change.
create table token_changes (
  only_row boolean primary key default true check (only_row),
  number bigint not null
);
insert into token_changes (number) values (0);

create function note_token_change() returns trigger language plpgsql as $$
begin
  update token_changes set number = number + 1;
  return null;
end $$;

create constraint trigger tokens_changed after update or delete on tokens
  deferrable initially deferred for each row execute function note_token_change();
create constraint trigger taxpayers_changed
  after update of vat_number, currencies, default_hs_taxed, default_hs_zero_rated, default_hs_exempt, suspended_at on taxpayers
  deferrable initially deferred for each row when (old.* is distinct from new.*) execute function note_token_change();
create constraint trigger vendor_tokens_changed after update or delete on vendor_tokens
  deferrable initially deferred for each row execute function note_token_change();
create constraint trigger vendors_changed after update of vendor_code, name, suspended_at on vendors
  deferrable initially deferred for each row when (old.* is distinct from new.*) execute function note_token_change();
