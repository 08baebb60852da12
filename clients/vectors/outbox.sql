CREATE TABLE meta (
  version integer not null,
  id text not null,
  halted_at integer,
  halted_status integer,
  halted_answer text,
  tried_at integer,
  checked_at integer not null
);
CREATE TABLE sales (
  place integer primary key autoincrement,
  reference text not null unique,
  device integer not null,
  sold_at integer not null,
  state text not null,
  ended_at integer,
  body text,
  body_sha256 text not null,
  attempts integer not null,
  answered integer not null,
  leased_until integer not null,
  status integer,
  answer text,
  number integer,
  clock_ahead integer,
  failing_since integer,
  failed_at integer,
  failure text
);
CREATE INDEX sales_queued on sales (device, place) where state = 'Queued';
CREATE INDEX sales_set_aside on sales (place) where state = 'SetAside';
CREATE INDEX sales_filled on sales (ended_at) where state in ('Signed', 'Discarded') and (body is not null or answer is not null);
CREATE INDEX sales_emptied on sales (ended_at) where body is null and answer is null;
