import { setTimeout as delay } from 'node:timers/promises';
import { type Asker, askerOf } from '../shared/ask.ts';
import { type Measuring, nextReceipt, SEALED } from '../shared/drive-warm.ts';
import { monotonicMs, percentiles } from '../shared/old-load.ts';
import type { Sender } from '../shared/receipt.ts';
import { type DurableRows, prepareDurableRows } from './durable-rows.ts';
import { makeSigning } from './limits.ts';

/** How long one receipt takes, beside its unavoidable parts: medians, in milliseconds. */
export interface BesideItsParts {
  readonly requests: number;
  readonly sealMs: number;
  readonly commitMs: number;
  readonly signatureMs: number;
  readonly bareRequestMs: number;
  readonly sumMs: number;
  readonly ratioToSum: number;
}

/** One request at a time. */
export interface IdleLatency {
  readonly errors: number;
  /** As a till sees it: nothing was asked for a while, so neither the service nor its parts are in any cache. */
  readonly afterPause: BesideItsParts;
  /** Each as soon as the last is answered, a hundred of each part in a row. */
  readonly inARow: BesideItsParts;
}

const PARTS = ['seal', 'bareRequest', 'commit', 'signature'] as const;
type Part = (typeof PARTS)[number];
type Take = Readonly<Record<Part, () => Promise<number>>>;

const PAUSE_MS = 5;
const TURNS = 200;
const ROUNDS = 4;
const IN_A_ROW = 80;
/** The first ones after another part are a little slower. */
const WARM_UP = 20;
const ROWS = TURNS + ROUNDS * (IN_A_ROW + WARM_UP);

/**
 * How long one receipt takes when nothing else is going on, beside one durable row, one signature and one request. The four take
 * turns, so that a change in the machine's speed affects all of them.
 */
export async function measureIdle(measuring: Measuring, senders: readonly Sender[]): Promise<IdleLatency> {
  const { service, bareUrl, ledger, progress, signal } = measuring;
  const rows = await prepareDurableRows(service.pool, senders, ROWS);
  const [sealer, bare] = [askerOf(service.url, 1), askerOf(bareUrl, 1)];
  const take = partsOf(sealer, bare, rows, senders);
  try {
    progress('one receipt at a time, each after a pause');
    const afterPause = await taken(take, TURNS, 0, 1, () => delay(PAUSE_MS, undefined, { signal }));
    progress('one receipt at a time, each right after the last');
    const inARow = await taken(take, ROUNDS, WARM_UP, IN_A_ROW, async () => signal.throwIfAborted());
    const errors = sealer.errors() + bare.errors();
    ledger.receipts += ROWS - sealer.errors();
    return { errors, afterPause, inARow };
  } finally {
    await Promise.all([sealer.close(), bare.close()]);
  }
}

function partsOf(sealer: Asker, bare: Asker, rows: DurableRows, senders: readonly Sender[]): Take {
  const signOne = makeSigning();
  let turn = 0;
  const question = (path?: string) => {
    turn += 1;
    return nextReceipt(senders, turn, path);
  };
  return {
    seal: () => sealer.ask(question(), (answer) => answer.includes(SEALED)),
    bareRequest: () => bare.ask(question('/'), (answer) => answer.includes('"BuyerEmail":"')),
    commit: () => timed(() => rows.write(1)),
    signature: () => timed(async () => signOne()),
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAtMs = monotonicMs();
  await work();
  return monotonicMs() - startedAtMs;
}

/** Measures `each` of every part in every round, after a warm-up that is not counted. */
async function taken(
  take: Take,
  rounds: number,
  warmUp: number,
  each: number,
  before: () => Promise<void>,
): Promise<BesideItsParts> {
  const latenciesMs: Record<Part, number[]> = { seal: [], bareRequest: [], commit: [], signature: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const part of PARTS) {
      for (let turn = -warmUp; turn < each; turn += 1) {
        await before();
        const latencyMs = await take[part]();
        if (turn >= 0) latenciesMs[part].push(latencyMs);
      }
    }
  }
  const median = (part: Part) => percentiles(latenciesMs[part]).p50Ms;
  const [sealMs, commitMs, signatureMs, bareRequestMs] = [
    median('seal'),
    median('commit'),
    median('signature'),
    median('bareRequest'),
  ];
  const sumMs = commitMs + signatureMs + bareRequestMs;
  return { requests: rounds * each, sealMs, commitMs, signatureMs, bareRequestMs, sumMs, ratioToSum: sealMs / sumMs };
}
