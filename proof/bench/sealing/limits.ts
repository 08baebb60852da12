/**
 * The machine's maximum if sealing were only its three unavoidable parts: a request, a signature and a durable row. The composite
 * is the rate at which the three would run one after the other.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { sha256, signingString } from '../../../src/fdms/index.ts';
import { decimal } from '../../../src/kernel/decimal.ts';
import type { Question } from '../shared/connection.ts';
import { drive, type LoadResult, mean, sum, together } from '../shared/load.ts';
import { questionOf, type Sender } from '../shared/receipt.ts';
import type { Stage } from '../shared/stage.ts';
import { prepareDurableRows } from './durable-rows.ts';

const SIGN_MS = 200;
const WARM_UP_REQUESTS = 8000;
const BARE_SECONDS = 0.7;
const ROWS_PER_BATCH = 100;
const WARM_UP_BATCHES = 10;
const BATCHES = 40;

const TILL = { deviceId: 1, token: 'of the same length as one of the product' };

/** The same receipt for a server that only parses and echoes. */
export function echoOf(turn: number): Question {
  return questionOf([TILL], turn, '/', '"BuyerEmail":"');
}

/** Measures the limits a little at a time, between measurements of the service; the rows are for the same devices. */
export async function prepareLimits(stage: Stage, bareUrl: string, senders: readonly Sender[], takes: number) {
  const rows = await prepareDurableRows(stage.pool, senders, (WARM_UP_BATCHES + takes * BATCHES) * ROWS_PER_BATCH);
  const write = async (batches: number) => {
    for (let batch = 0; batch < batches; batch += 1) await rows.write(ROWS_PER_BATCH);
  };
  await write(WARM_UP_BATCHES);
  const echo = { url: bareUrl, questionOf: echoOf, signal: stage.signal };
  const warm = await drive({ ...echo, requests: WARM_UP_REQUESTS });
  const signOne = makeSigning();
  const [bare, signatures, writingMs]: [LoadResult[], number[], number[]] = [[], [], []];
  return {
    take: async () => {
      bare.push(stage.count(await drive({ ...echo, requests: Math.round(warm.perSecond * BARE_SECONDS) }), 0));
      signatures.push(signaturesPerSecond(signOne));
      const startedAtMs = performance.now();
      await write(BATCHES);
      writingMs.push(performance.now() - startedAtMs);
    },
    /** One for each take: they show how steady the machine was. */
    signatures,
    perSecond: () => {
      const [request, signature] = [together(bare).perSecond, mean(signatures)];
      const row = (writingMs.length * BATCHES * ROWS_PER_BATCH * 1000) / sum(writingMs);
      return { request, signature, row, composite: 1 / (1 / request + 1 / signature + 1 / row) };
    },
  };
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
function signaturesPerSecond(signOne: () => void): number {
  const endMs = performance.now() + SIGN_MS;
  let count = 0;
  for (; performance.now() < endMs; count += 1) signOne();
  return (count / SIGN_MS) * 1000;
}
