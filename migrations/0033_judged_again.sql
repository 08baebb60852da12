-- Outside a transaction.
-- Works beside versions that have migration 0022.
-- Evidence to be judged: what nobody has judged yet, and what was called invalid before 0032. Versions before use the indexes of 0020.
create index concurrently if not exists submissions_to_judge on submissions (server_certificate_thumbprint)
  where is_server_signature_valid is not true and server_signature is not null and not is_signature_wrong;
create index concurrently if not exists fiscal_days_to_judge on fiscal_days (server_certificate_thumbprint)
  where is_server_signature_valid is not true and server_signature is not null and not is_signature_wrong;
