/**
 * The machine's maximum if sealing were only its three unavoidable parts: a request, a signature and a durable row. The composite
 * is the rate at which the three would run one after the other.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { sha256, signingString } from '../../../src/fdms/index.ts';
import { decimal } from '../../../src/kernel/decimal.ts';
import { driveWarm, type Measuring, receiptOf } from '../shared/drive-warm.ts';
import { CONNECTIONS, drive, monotonicMs } from '../shared/old-load.ts';
import type { Sender } from '../shared/receipt.ts';
import { prepareDurableRows } from './durable-rows.ts';

const SIGN_MS = 200;
const BARE_SECONDS = 0.7;
const ROWS_PER_BATCH = 100;
const WARM_UP_BATCHES = 10;
const BATCHES = 40;

export interface Limits {
  readonly bareRequestsPerSecond: number;
  readonly signaturesPerSecond: number;
  readonly durableRowsPerSecond: number;
  readonly compositePerSecond: number;
}

/** Measures the limits a little at a time, between measurements of the service, because the machine's speed changes. */
export interface LimitProbe {
  take(): Promise<void>;
  limits(): Limits;
  /** One for each take: they show how steady the machine was. */
  signatureRates(): readonly number[];
}

/** The rows are for the same devices as the measurements in between. */
export async function prepareLimits(
  measuring: Measuring,
  senders: readonly Sender[],
  takes: number,
): Promise<LimitProbe> {
  const { bareUrl, service, signal, progress } = measuring;
  const batches = WARM_UP_BATCHES + takes * BATCHES;
  const rows = await prepareDurableRows(service.pool, senders, batches * ROWS_PER_BATCH);
  for (let batch = 0; batch < WARM_UP_BATCHES; batch += 1) await rows.write(ROWS_PER_BATCH);
  const till = [{ deviceId: 1, token: 'of the same length as one of the product' }];
  const target = { url: bareUrl, marker: '"BuyerEmail":"', senders: till, bodyOf: receiptOf };
  const warm = await driveWarm({ signal, progress }, 'bare requests', target, 0);
  const requests = Math.round(warm.perSecond * BARE_SECONDS);
  const signOne = makeSigning();
  const [bare, signatures, durable] = [new Tally(), new Tally(), new Tally()];
  const signatureRates: number[] = [];
  return {
    take: async () => {
      const load = await drive({ ...target, requests, connections: CONNECTIONS, signal, onProgress: () => {} });
      if (load.errors > 0) throw new Error(`the bare server gave ${load.errors} wrong answers`);
      bare.add(load.answered, load.endedAtMs - load.startedAtMs);
      signatureRates.push(signatures.time(() => signFor(SIGN_MS, signOne)));
      const startedAtMs = monotonicMs();
      for (let batch = 0; batch < BATCHES; batch += 1) await rows.write(ROWS_PER_BATCH);
      durable.add(BATCHES * ROWS_PER_BATCH, monotonicMs() - startedAtMs);
    },
    limits: () => composite(bare.perSecond, signatures.perSecond, durable.perSecond),
    signatureRates: () => signatureRates,
  };
}

function composite(bareRequestsPerSecond: number, signaturesPerSecond: number, durableRowsPerSecond: number): Limits {
  const compositePerSecond = 1 / (1 / bareRequestsPerSecond + 1 / signaturesPerSecond + 1 / durableRowsPerSecond);
  return { bareRequestsPerSecond, signaturesPerSecond, durableRowsPerSecond, compositePerSecond };
}

class Tally {
  #count = 0;
  #ms = 0;

  add(count: number, durationMs: number): void {
    this.#count += count;
    this.#ms += durationMs;
  }

  /** Returns the rate of this piece alone. */
  time(work: () => number): number {
    const startedAtMs = monotonicMs();
    const count = work();
    const durationMs = monotonicMs() - startedAtMs;
    this.add(count, durationMs);
    return (count / durationMs) * 1000;
  }

  get perSecond(): number {
    return (this.#count / this.#ms) * 1000;
  }
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
function signFor(durationMs: number, signOne: () => void): number {
  const endMs = monotonicMs() + durationMs;
  let count = 0;
  for (; monotonicMs() < endMs; count += 1) signOne();
  return count;
}
