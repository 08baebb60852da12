-- Works beside versions that have migration 0022.
-- Dates of the authority as it wrote them, where that is another text than the column beside them gives back: with a fraction or a zone,
-- which it may have signed, or a day that does not exist.
-- A signature that a version before called invalid may have been so only by its narrow way of comparing, or because its certificate could
-- not be had: only what is marked wrong here has been judged for good.
-- A colour of a remark that is not known here is kept by its own name.
alter table submissions
  add column server_date_text text,
  add column is_signature_wrong boolean not null default false,
  drop constraint submissions_worst_colour_check;
alter table fiscal_days
  add column closed_text text,
  add column is_signature_wrong boolean not null default false;
