-- Works beside versions that have migration 0022.
-- Since when the authority shows a day as closed without a receipt that it may have: it is asked again before that is believed.
alter table fiscal_days add column seen_closed_at timestamptz;
