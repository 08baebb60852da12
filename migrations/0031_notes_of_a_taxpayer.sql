-- Works beside versions that have migration 0022.
-- What a taxpayer wants of its credit and debit notes: without a buyer they take that of their original, and on paper they are titled FISCAL.
alter table taxpayers add column notes_take_buyer boolean not null default false;
alter table print_settings add column fiscal_note_titles boolean not null default false;

-- Instances remember the first with a token, as they do the others.
drop trigger taxpayers_changed on taxpayers;
create constraint trigger taxpayers_changed
  after update of vat_number, currencies, default_hs_taxed, default_hs_zero_rated, default_hs_exempt, notes_take_buyer, suspended_at
  on taxpayers
  deferrable initially deferred for each row when (old.* is distinct from new.*) execute function note_token_change();
