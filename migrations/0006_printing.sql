-- What a taxpayer wants on its printed receipts. A table of its own: taxpayers are read with every request, logos are not.
create table print_settings (
  taxpayer_id uuid primary key references taxpayers,
  logo bytea check (octet_length(logo) <= 100000),         -- PNG, checked before it is stored
  logo_width integer,
  logo_height integer,
  footer text check (char_length(footer) <= 500),
  check ((logo is null) = (logo_width is null) and (logo is null) = (logo_height is null))
);
