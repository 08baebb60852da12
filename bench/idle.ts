import { type Measuring, receiptOf, sealing, type Target } from './drive-warm.ts';
import { prepareDurableRows } from './durable-rows.ts';
import { makeSigning } from './limits.ts';
import { drive, type LoadResult, monotonicMs, percentiles } from './load.ts';
import type { Sender } from './receipt.ts';

/** Medians of one at a time, in milliseconds. */
export interface IdleLatency {
  readonly requests: number;
  readonly errors: number;
  readonly sealMs: number;
  readonly commitMs: number;
  readonly signatureMs: number;
  readonly bareRequestMs: number;
  readonly sumMs: number;
  readonly ratioToSum: number;
}

const ROUNDS = 5;
const PER_ROUND = 80;
/** After a pause everything is a little slower for some moments, and each of the four comes after one. */
const WARM_UP = 20;

/**
 * How long one receipt takes when nothing else is going on, beside what it cannot do without: one row made durable, one
 * signature, one request. The four take turns, so that the machine's moods hit them alike.
 */
export async function measureIdle(measuring: Measuring, senders: readonly Sender[]): Promise<IdleLatency> {
  const { service, ledger, bareUrl, progress } = measuring;
  const rows = await prepareDurableRows(service.pool, senders, ROUNDS * (PER_ROUND + WARM_UP));
  const signOne = makeSigning();
  let errors = 0;
  const bare = { url: bareUrl, marker: '"BuyerEmail":"', senders, bodyOf: receiptOf };
  const medians: Record<'seal' | 'commit' | 'signature' | 'bare', number[]> = {
    seal: [],
    commit: [],
    signature: [],
    bare: [],
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    progress(`one receipt at a time, ${round + 1} of ${ROUNDS} rounds`);
    const sealed = await oneByOne(measuring, sealing(service, senders));
    ledger.receipts += sealed.answered;
    errors += sealed.errors;
    medians.seal.push(...sealed.latenciesMs);
    medians.bare.push(...(await oneByOne(measuring, bare)).latenciesMs);
    medians.commit.push(...(await timed(() => rows.write(1))));
    medians.signature.push(...(await timed(signOne)));
  }
  const [sealMs, commitMs, signatureMs, bareRequestMs] = [
    medians.seal,
    medians.commit,
    medians.signature,
    medians.bare,
  ].map((values) => percentiles(values).p50Ms) as [number, number, number, number];
  const sumMs = commitMs + signatureMs + bareRequestMs;
  const requests = medians.seal.length;
  return { requests, errors, sealMs, commitMs, signatureMs, bareRequestMs, sumMs, ratioToSum: sealMs / sumMs };
}

async function oneByOne(
  { signal }: Measuring,
  target: Target<Sender>,
): Promise<Pick<LoadResult, 'answered' | 'errors'> & { readonly latenciesMs: readonly number[] }> {
  const result = await drive({
    ...target,
    requests: WARM_UP + PER_ROUND,
    connections: 1,
    signal,
    onProgress: () => {},
  });
  return { ...result, latenciesMs: result.latenciesMs.slice(WARM_UP) };
}

async function timed(work: () => unknown): Promise<number[]> {
  const latenciesMs: number[] = [];
  for (let turn = 0; turn < WARM_UP + PER_ROUND; turn += 1) {
    const startedAtMs = monotonicMs();
    await work();
    latenciesMs.push(monotonicMs() - startedAtMs);
  }
  return latenciesMs.slice(WARM_UP);
}
