-- Administration: tokens of operators, the audit log, and what listing and searching need.

-- A token of an operator belongs to no taxpayer and has the scope admin, and only that.
alter table tokens drop constraint tokens_pkey;
alter table tokens alter column taxpayer_id drop not null;
alter table tokens add primary key (token_id);
alter table tokens add check ((taxpayer_id is null) = (scopes = array['admin']));
create index tokens_by_taxpayer on tokens (taxpayer_id, token_id);

-- Who changed what, when, from what to what. Written in the transaction of the change; never holds a secret.
create table audit_log (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  taxpayer_id uuid,
  subject text not null,
  before jsonb,
  after jsonb
);
create index audit_log_by_taxpayer on audit_log (taxpayer_id, audit_id) where taxpayer_id is not null;
create index audit_log_by_subject on audit_log (subject, audit_id);

create trigger audit_log_append_only before update or delete on audit_log
  for each row execute function refuse_change();
create trigger audit_log_never_truncated before truncate on audit_log
  for each statement execute function refuse_change();

-- An operator searches over all taxpayers, newest first.
create index receipts_newest on receipts (sealed_at);

-- Rotation of the master key: a key may be forgotten once nothing is wrapped with it any more.
alter table master_keys add column retired_at timestamptz;
