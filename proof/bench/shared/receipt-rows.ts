import type { Pool } from 'pg';

/**
 * Receipts made in SQL from one that the service has sealed: each links to the one before it on its device and satisfies every
 * constraint of the table. Hash and signature only have the right length, because signing millions would take too long.
 */

const RECEIPTS_PER_DAY = 500;

/** Columns that differ from one receipt to the next; all others are copied. */
const MADE: Readonly<Record<string, string>> = {
  taxpayer_id: 'made.taxpayer_id',
  device_id: 'made.device_id',
  global_counter: 'made.counter_before + made.place + 1',
  fiscal_day_number: `made.day_before + made.place / ${RECEIPTS_PER_DAY} + 1`,
  fiscal_day_counter: `made.place % ${RECEIPTS_PER_DAY} + 1`,
  reference: 'made.reference',
  total: '1 + (made.number * 6007 % $6::bigint)::numeric / 100',
  signed_date: 'made.signed_date',
  sealed_at: 'made.at',
  previous_hash: `case when made.place % ${RECEIPTS_PER_DAY} > 0 then sha256(convert_to('receipt ' || made.number - made.devices, 'UTF8')) end`,
  hash: `sha256(convert_to('receipt ' || made.number, 'UTF8'))`,
  signature: `sha512(convert_to('signature ' || made.number, 'UTF8')) || substr(sha256(convert_to('signature ' || made.number, 'UTF8')), 1, 7)`,
  event_number: 'made.event_before + made.place * made.siblings + made.sibling',
  buyer_tin: 'made.buyer_tin',
  buyer_name: 'lower(made.buyer_name)',
  body: `pieces[1] || made.device_id || pieces[2] || made.reference || pieces[3] || to_char(made.signed_date, 'YYYY-MM-DD"T"HH24:MI:SS') ||
         pieces[4] || made.buyer_tin || pieces[5] || made.buyer_name || pieces[6]`,
};

/**
 * A query that makes the receipts number $2 to $3, for the devices $1 in turn, after those they have. Number 0 is dated $4
 * (in milliseconds) and each one $5 milliseconds later than the one before. There are $6 different buyers and amounts.
 */
export function receiptRows(columns: readonly string[]): string {
  const chosen = columns.map((name) => `${MADE[name] ?? `pattern.${name}`} as ${name}`).join(', ');
  return `
    -- Materialized, so that it runs once and not for every row.
    with pattern as materialized (select * from receipts where type = 'FiscalInvoice' and body like '%"BuyerName":%' limit 1),
         cut as materialized (select regexp_match(body,
             '^(.*"AuthorityDeviceId":)\\d+(.*"Reference":")[^"]*(.*"Date":")[^"]*(.*"BuyerTIN":")[^"]*(.*"BuyerName":")[^"]*(.*)$')
           as pieces from pattern),
         fleet as (
           select h.taxpayer_id, h.device_id, h.global_counter as counter_before, h.fiscal_day_number as day_before,
                  c.last_number as event_before, d.position - 1 as position, cardinality($1::integer[]) as devices,
                  row_number() over (partition by h.taxpayer_id order by d.position) as sibling,
                  count(*) over (partition by h.taxpayer_id) as siblings
             from unnest($1::integer[]) with ordinality as d (device_id, position)
             join device_heads h using (device_id) join event_counters c on c.tenant_id = h.taxpayer_id),
         numbered as (
           select number, number / cardinality($1::integer[]) as whole_place, number % cardinality($1::integer[]) as position,
                  to_timestamp(($4::bigint + number * $5::double precision) / 1000) as at,
                  'LOAD-' || lpad(number::text, 9, '0') as reference,
                  (number * 7919) % $6::bigint as buyer
             from generate_series($2::bigint, $3::bigint) as number),
         made as (
           select fleet.*, number, at, reference, (whole_place - $2::bigint / devices)::integer as place,
                  (at at time zone 'Africa/Harare')::timestamp(0) as signed_date,
                  (2100000000 + buyer)::text as buyer_tin,
                  (array['Highlands', 'Avondale', 'Borrowdale', 'Mbare', 'Chitungwiza', 'Gweru', 'Mutare', 'Masvingo'])[1 + buyer % 8] ||
                    ' Catering and Conference Services ' || buyer || ' Ltd' as buyer_name
             from numbered join fleet using (position))
    select made.number, ${chosen} from made, pattern, cut`;
}

export async function receiptColumns(pool: Pool): Promise<{ readonly name: string; readonly type: string }[]> {
  const { rows } = await pool.query<{ name: string; type: string }>(
    `select quote_ident(attname) as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = 'receipts'::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
  );
  return rows;
}
