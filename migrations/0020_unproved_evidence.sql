-- Outside a transaction.
-- An acceptance is recorded the moment the authority has answered; its signature is proved afterwards. These find what is
-- still unproved, also after a crash, and are empty nearly always.
create index concurrently if not exists submissions_unproved on submissions (server_certificate_thumbprint)
  where is_server_signature_valid is null and server_signature is not null;
create index concurrently if not exists fiscal_days_unproved on fiscal_days (server_certificate_thumbprint)
  where is_server_signature_valid is null and server_signature is not null;
