/**
 * What this machine could do at most if sealing were nothing but its three unavoidable parts: a request, a signature, a
 * durable row. Their composite is the rate at which one after the other would run.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import type { Pool } from 'pg';
import { sha256, signingString } from '../src/fiscal/index.ts';
import { decimal } from '../src/kernel/decimal.ts';
import { prepareDurableRows } from './durable-rows.ts';
import type { Sender } from './receipt.ts';

const SIGN_SECONDS = 1;
const ROWS_PER_BATCH = 100;
const WARM_UP_BATCHES = 20;
const MEASURED_BATCHES = 300;

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

/** ECDSA P-256 over a typical signing string, each call one signature. */
export function makeSigning(): () => void {
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
  const signOne = () => {
    sign('sha256', text, privateKey);
  };
  for (let warmUp = 0; warmUp < 2000; warmUp += 1) signOne();
  return signOne;
}

/** On one core. */
export function measureSignatures(): number {
  const signOne = makeSigning();
  const startedAt = performance.now();
  const elapsedSeconds = () => (performance.now() - startedAt) / 1000;
  let count = 0;
  for (; elapsedSeconds() < SIGN_SECONDS; count += 1) signOne();
  return count / elapsedSeconds();
}

/** Receipts' rows, a hundred to a commit, one commit after the other. */
export async function measureDurableRows(pool: Pool, senders: readonly Sender[]): Promise<number> {
  const rows = await prepareDurableRows(pool, senders, (WARM_UP_BATCHES + MEASURED_BATCHES) * ROWS_PER_BATCH);
  for (let batch = 0; batch < WARM_UP_BATCHES; batch += 1) await rows.write(ROWS_PER_BATCH);
  const startedAt = performance.now();
  for (let batch = 0; batch < MEASURED_BATCHES; batch += 1) await rows.write(ROWS_PER_BATCH);
  const seconds = (performance.now() - startedAt) / 1000;
  await rows.drop();
  return (MEASURED_BATCHES * ROWS_PER_BATCH) / seconds;
}
