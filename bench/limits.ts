/**
 * What this machine could do at most if sealing were nothing but its three unavoidable parts: a request, a signature, a
 * durable row. Their composite is the rate at which one after the other would run.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import type { Pool } from 'pg';
import { sha256, signingString } from '../src/fiscal/index.ts';
import { decimal } from '../src/kernel/decimal.ts';

const SIGN_SECONDS = 1;
const ROWS_PER_BATCH = 100;
const WARM_UP_BATCHES = 20;
const MOST_ROWS = 40_000;

export interface Limits {
  readonly bareRequestsPerSecond: number;
  readonly signaturesPerSecond: number;
  readonly durableRowsPerSecond: number;
  readonly compositePerSecond: number;
}

export function composite(parts: Omit<Limits, 'compositePerSecond'>): Limits {
  const { bareRequestsPerSecond, signaturesPerSecond, durableRowsPerSecond } = parts;
  const compositePerSecond = 1 / (1 / bareRequestsPerSecond + 1 / signaturesPerSecond + 1 / durableRowsPerSecond);
  return { ...parts, compositePerSecond };
}

/** ECDSA P-256 over a typical signing string, on one core. */
export function measureSignatures(): number {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const text = Buffer.from(
    signingString({
      deviceId: 1001,
      type: 'FiscalInvoice',
      currency: 'USD',
      globalCounter: 123_456,
      date: '2026-11-15T12:00:00',
      total: decimal('18.45'),
      taxes: [
        { taxId: 2, taxPercent: decimal('0'), taxAmount: decimal('0'), salesAmountWithTax: decimal('2.2') },
        { taxId: 517, taxPercent: decimal('15.5'), taxAmount: decimal('2.18'), salesAmountWithTax: decimal('16.25') },
      ],
      previousHash: sha256('the receipt before'),
    }),
  );
  for (let warmUp = 0; warmUp < 2000; warmUp += 1) sign('sha256', text, privateKey);
  const startedAt = performance.now();
  const elapsedSeconds = () => (performance.now() - startedAt) / 1000;
  let count = 0;
  for (; elapsedSeconds() < SIGN_SECONDS; count += 1) sign('sha256', text, privateKey);
  return count / elapsedSeconds();
}

/**
 * Receipts that the run has sealed, written again in the order they came, a hundred to a commit, into a table with the
 * same columns, checks and indexes.
 */
export async function measureDurableRows(pool: Pool): Promise<number> {
  await pool.query('create table bench_rows (like receipts including all)');
  const { rows: columns } = await pool.query<{ name: string; type: string }>(
    `select quote_ident(attname) as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = 'receipts'::regclass and attnum > 0 and not attisdropped order by attnum`,
  );
  const names = columns.map(({ name }) => name).join(', ');
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
  // As text and as arrays, one per row: exactly what the product sends, whatever the types are.
  const { rows } = await pool.query<{ fields: (string | null)[] }>(
    `select array[${columns.map(({ name }) => `${name}::text`).join(', ')}] as fields
       from receipts order by sealed_at limit ${MOST_ROWS}`,
  );
  const writeBatch = (start: number) =>
    pool.query({
      name: 'bench-rows',
      text: `insert into bench_rows (${names}) select * from unnest(${arrays})`,
      values: columns.map((_, column) => rows.slice(start, start + ROWS_PER_BATCH).map((row) => row.fields[column])),
    });
  const first = WARM_UP_BATCHES * ROWS_PER_BATCH;
  for (let start = 0; start < first; start += ROWS_PER_BATCH) await writeBatch(start);
  const startedAt = performance.now();
  for (let start = first; start < rows.length; start += ROWS_PER_BATCH) await writeBatch(start);
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.query('drop table bench_rows');
  return (rows.length - first) / seconds;
}
