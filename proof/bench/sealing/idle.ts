import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '../shared/connection.ts';
import { median } from '../shared/load.ts';
import { questionOf, type Sender } from '../shared/receipt.ts';
import { progress } from '../shared/run.ts';
import type { Stage } from '../shared/stage.ts';
import { prepareDurableRows } from './durable-rows.ts';
import { echoOf, makeSigning } from './limits.ts';

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
export async function measureIdle(stage: Stage, bareUrl: string, senders: readonly Sender[]) {
  const rows = await prepareDurableRows(stage.pool, senders, ROWS);
  const [sealer, bare] = [await Connection.open(stage.url), await Connection.open(bareUrl)];
  const signOne = makeSigning();
  let turn = 0;
  const take = {
    seal: async () => {
      const question = questionOf(senders, turn);
      turn += 1;
      const answer = await sealer.ask(question);
      if (question.isRight?.(answer)) stage.sealed += 1;
      else stage.errors += 1;
    },
    request: () => bare.ask(echoOf(turn)),
    row: () => rows.write(1),
    signature: async () => signOne(),
  };
  try {
    progress('one receipt at a time, each after a pause');
    const afterPause = await taken(take, TURNS, 0, 1, () => delay(PAUSE_MS, undefined, { signal: stage.signal }));
    progress('one receipt at a time, each right after the last');
    const inARow = await taken(take, ROUNDS, WARM_UP, IN_A_ROW, async () => stage.signal.throwIfAborted());
    return { afterPause, inARow };
  } finally {
    sealer.close();
    bare.close();
  }
}

type Part = 'seal' | 'request' | 'row' | 'signature';

/** Medians of `each` of every part in every round, after a warm-up that is not counted, and the receipt by the sum of its parts. */
async function taken(
  take: Readonly<Record<Part, () => Promise<unknown>>>,
  rounds: number,
  warmUp: number,
  each: number,
  before: () => Promise<void>,
): Promise<Readonly<Record<Part | 'parts' | 'ratio', number>>> {
  const latenciesMs: Record<Part, number[]> = { seal: [], request: [], row: [], signature: [] };
  const parts = Object.keys(latenciesMs) as Part[];
  for (let round = 0; round < rounds; round += 1) {
    for (const part of parts) {
      for (let turn = -warmUp; turn < each; turn += 1) {
        await before();
        const startedAtMs = performance.now();
        await take[part]();
        if (turn >= 0) latenciesMs[part].push(performance.now() - startedAtMs);
      }
    }
  }
  const [seal, request, row, signature] = parts.map((part) => median(latenciesMs[part])) as [
    number,
    number,
    number,
    number,
  ];
  const sumMs = request + row + signature;
  return { seal, request, row, signature, parts: sumMs, ratio: seal / sumMs };
}
