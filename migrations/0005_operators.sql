-- Operators of the console: accounts, sessions, and who has to wait after wrong passwords.
create table operators (
  operator_id uuid primary key,
  email text not null unique check (email = lower(email)),
  name text not null,
  role text not null check (role in ('viewer', 'operator', 'admin')),
  password_hash text not null,                             -- argon2id with its salt and parameters
  must_change_password boolean not null default false,     -- the password was made here and told once
  disabled_at timestamptz,
  last_log_in_at timestamptz,
  created_at timestamptz not null default now()
);

-- A session is 256 random bits in a cookie, kept as SHA-256 only, like a token.
create table operator_sessions (
  session_hash bytea primary key check (octet_length(session_hash) = 32),
  operator_id uuid not null references operators on delete cascade,
  started_at timestamptz not null,
  seen_at timestamptz not null,                            -- at most a minute old while it is used
  expires_at timestamptz not null
);
create index operator_sessions_by_operator on operator_sessions (operator_id);
create index operator_sessions_by_expiry on operator_sessions (expires_at);

-- By the hash of the email that was typed, whether an operator has it or not: who is locked out learns nothing from it.
create table log_in_attempts (
  email_hash bytea primary key check (octet_length(email_hash) = 32),
  failures integer not null,
  failed_at timestamptz not null,
  locked_until timestamptz
);
create index log_in_attempts_by_time on log_in_attempts (failed_at);

-- Looking for a receipt by what a customer holds. The verification code is the first 16 hex digits of the signature's MD5;
-- half of them find it. The buyer stands in the body too, but an index that has to take the body apart halved the rate at
-- which rows can be written; receipts without a buyer pay nothing.
-- None begins with taxpayer_id: the end of 0003 tells what such an index did to the look-up by reference.
create index receipts_by_verification_code on receipts (left(md5(signature), 8));
alter table receipts add column buyer_tin text, add column buyer_name text; -- the name in small letters, to be found by
alter table receipts disable trigger receipts_append_only;
update receipts set buyer_tin = body::jsonb ->> 'BuyerTIN', buyer_name = lower(body::jsonb ->> 'BuyerName')
 where body like '%"BuyerTIN":"%' or body like '%"BuyerName":"%';
alter table receipts enable trigger receipts_append_only;
create index receipts_by_buyer_tin on receipts (buyer_tin, sealed_at) where buyer_tin is not null;
create index receipts_by_buyer_name on receipts (buyer_name text_pattern_ops, sealed_at) where buyer_name is not null;

-- What was sealed, by minute and currency: the overview's picture, so that it never has to read the receipts of a whole day.
-- A picture and not the books: a receipt committed more than ten seconds after it was sealed is missing in it.
create table receipt_minutes (
  minute timestamptz not null,
  currency text not null,
  receipts integer not null,
  total numeric(24, 2) not null,                           -- credit notes count against it
  primary key (minute, currency)
);
create table receipt_minutes_progress (
  is_only boolean primary key default true check (is_only),
  counted_through timestamptz not null
);
