/**
 * `npm run bench:windows`: ten thousand devices whose maintenance windows all begin in the same minute, and then end in the same
 * minute, with an authority that takes 200 ms: how long until all are drained and closed, and until all are open; the same with an
 * instance that is killed half way. Other devices seal all the while. Windows last two hours: between the phases the bench moves
 * them, while no instance runs. `--devices 500` for a short look; only a whole run writes fleet-results.json and docs/performance.md.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { nextReceipt, SEALED } from '../drive-warm.ts';
import { percentiles } from '../load.ts';
import { driveOpen } from '../open-loop.ts';
import { type Instance, startBeside } from '../processes.ts';
import type { Sender } from '../receipt.ts';
import { machineFacts, rounded } from '../results.ts';
import { progress, runBench, whole } from '../run.ts';
import { keep, publish } from './report.ts';
import { addSubmittedDevices, type Stage, startStage } from './stage.ts';
import {
  type Phase,
  type PhaseKind,
  phaseLines,
  type WindowsResults,
  windowsLines,
  windowsMarkdown,
} from './windows-report.ts';

const ALL_DEVICES = '10000';
const OTHERS = 200;
const OTHERS_PER_SECOND = 100;
const ANSWER_MS = 200;
/** An instance that has just been started compiles, and its devices connect. */
const WARM_UP_SECONDS = 12;
const BASELINE_SECONDS = 12;
const PIECE_SECONDS = 5;
/** Twice of what is expected: how far off it is should be seen. */
const MAX_SECONDS = 1200;
/** From the start of an instance to the minute: time for its first receipts, one of each device. */
const AHEAD_SECONDS = 90;
const MINUTE = 60;
const WINDOW_MINUTES = 120;

const { values: options } = parseArgs({ options: { devices: { type: 'string', default: ALL_DEVICES } } });

/** Where a phase stands: the state that its devices come to, by their heads. */
const TARGET: Readonly<Record<PhaseKind, string>> = { close: 'Closed', open: 'Opened' };

interface Field {
  readonly stage: Stage;
  readonly fleet: readonly Sender[];
  readonly others: readonly Sender[];
}

async function bench(folder: string, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  // It owns the database, so that the instance that is measured can be killed alone.
  const stage = await startStage({ folder, signal, roles: 'console' });
  const phases: Phase[] = [];
  try {
    const { rows } = await stage.service.pool.query<{ server_version: string }>('show server_version');
    const machine = machineFacts(rows[0]?.server_version ?? 'unknown');
    const others = await addSubmittedDevices(stage, OTHERS);
    const fleet = await addSubmittedDevices(stage, Number(options.devices));
    const resultsSoFar = (): WindowsResults =>
      rounded({
        date: new Date().toISOString(),
        machine,
        devices: fleet.length,
        answerMs: ANSWER_MS,
        phases,
        astray: stage.authority.counts().astray,
        errors: stage.notes.errors,
        seconds: (performance.now() - startedAt) / 1000,
      });
    stage.authority.behave({ answerMs: ANSWER_MS });
    for (const isKilled of [false, true]) {
      for (const kind of ['close', 'open'] as const) {
        const phase = await measurePhase({ stage, fleet, others }, kind, isKilled);
        phases.push(phase);
        progress('');
        // It takes half an hour: what is known is shown, and kept.
        process.stdout.write(`${phaseLines(phase, fleet.length).join('\n')}\n`);
        if (options.devices === ALL_DEVICES) await keep({ windows: resultsSoFar() });
      }
    }
    const results = resultsSoFar();
    process.stdout.write(`\n${windowsLines(results).join('\n')}\n`);
    if (results.errors > 0) process.stdout.write(`The first wrong answer: ${stage.notes.wrong}\n`);
    if (options.devices === ALL_DEVICES) await publish('performance.md', 'bench:windows', windowsMarkdown(results));
    return results.astray + results.errors === 0 ? 0 : 1;
  } finally {
    await stage.stop();
  }
}

async function measurePhase(field: Field, kind: PhaseKind, isKilled: boolean): Promise<Phase> {
  const { stage, fleet, others } = field;
  const name = `${kind === 'close' ? 'closing' : 'opening'} ${whole(fleet.length)} days${isKilled ? ', killed half way' : ''}`;
  const fromSeconds = await moveWindows(field, kind);
  let instance = await startBeside(stage.service, stage.signal, stage.environment);
  const handshakesBefore = stage.authority.counts().handshakes;
  try {
    progress(`${name}: warming up`);
    await seal(field, instance, others, OTHERS_PER_SECOND, WARM_UP_SECONDS);
    progress(`${name}: other devices alone`);
    const before = await seal(field, instance, others, OTHERS_PER_SECOND, BASELINE_SECONDS);
    if (kind === 'close') {
      progress(`${name}: a receipt of each device`);
      const left = Math.max(5, fromSeconds - Date.now() / 1000 - 3);
      await seal(field, instance, fleet, fleet.length / left, left);
    }
    progress(`${name}: waiting for the minute`);
    await delay(Math.max(0, fromSeconds * 1000 - Date.now()), undefined, { signal: stage.signal });
    const latenciesMs: number[] = [];
    let [done, rssMb, hasBeenKilled] = [0, 0, false];
    while (done < fleet.length && Date.now() / 1000 < fromSeconds + MAX_SECONDS) {
      latenciesMs.push(...(await seal(field, instance, others, OTHERS_PER_SECOND, PIECE_SECONDS)));
      done = await countDone(field, kind);
      rssMb = Math.max(rssMb, await instance.rssMb());
      progress(`${name}: under way, ${whole(done)} of ${whole(fleet.length)}`);
      if (isKilled && !hasBeenKilled && done >= fleet.length / 2) {
        hasBeenKilled = true;
        await instance.kill();
        instance = await startBeside(stage.service, stage.signal, stage.environment);
      }
    }
    const seconds = await lastSeconds(field, kind, fromSeconds, done);
    const p99Ms = percentiles(latenciesMs).p99Ms;
    const p99MsBefore = percentiles(before).p99Ms;
    const handshakes = stage.authority.counts().handshakes - handshakesBefore;
    return { kind, isKilled, done, seconds, othersP99Ms: p99Ms, othersP99MsBefore: p99MsBefore, handshakes, rssMb };
  } finally {
    await instance.stop();
  }
}

/** So that they begin or end at a minute soon, and resolves with that minute. Care is spread, as it is among devices that run. */
async function moveWindows({ stage, fleet }: Field, kind: PhaseKind): Promise<number> {
  const { pool } = stage.service;
  const atSeconds = Math.ceil((Date.now() / 1000 + AHEAD_SECONDS) / MINUTE) * MINUTE;
  const startSeconds = kind === 'close' ? atSeconds : atSeconds - WINDOW_MINUTES * MINUTE;
  const ids = fleet.map(({ deviceId }) => deviceId);
  await pool.query(
    `update devices
        set maintenance_start_minute = extract(hour from wall)::integer * 60 + extract(minute from wall)::integer
       from (select to_timestamp($2) at time zone 'Africa/Harare' as wall) start where device_id = any ($1)`,
    [ids, startSeconds],
  );
  await pool.query('update device_heads set revision = revision + 1 where device_id = any ($1)', [ids]);
  await pool.query(
    `update device_lanes l
        set pinged_at = now() - pinged * interval '5 minutes', status_checked_at = now() - pinged * interval '10 minutes',
            next_step_at = least(to_timestamp($2), now() + (1 - pinged) * interval '5 minutes')
       from (select device_id, random() as pinged from unnest($1::integer[]) as device_id) f where l.device_id = f.device_id`,
    [ids, atSeconds],
  );
  return atSeconds;
}

async function seal(
  { stage }: Field,
  { url }: Instance,
  senders: readonly Sender[],
  perSecond: number,
  seconds: number,
): Promise<readonly number[]> {
  const load = await driveOpen({
    origin: url,
    perSecond,
    requests: Math.max(1, Math.round(perSecond * seconds)),
    requestOf: (turn) => nextReceipt(senders, turn),
    isRight: (answer) => answer.includes(SEALED),
    signal: stage.signal,
  });
  stage.notes.errors += load.errors;
  stage.notes.wrong ||= load.wrong;
  return load.latenciesMs;
}

async function countDone({ stage, fleet }: Field, kind: PhaseKind): Promise<number> {
  const { rows } = await stage.service.pool.query<{ count: number }>(
    'select count(*)::integer as count from device_heads where day_state = $1 and device_id = any ($2)',
    [TARGET[kind], fleet.map(({ deviceId }) => deviceId)],
  );
  return rows[0]?.count ?? 0;
}

/** When the last of them was there; null when some were not. */
async function lastSeconds({ stage, fleet }: Field, kind: PhaseKind, fromSeconds: number, done: number) {
  if (done < fleet.length) return null;
  const column = kind === 'close' ? 'closed_at' : 'open_confirmed_at';
  const { rows } = await stage.service.pool.query<{ last: number }>(
    `select extract(epoch from max(${column}))::float8 as last from fiscal_days where device_id = any ($1)`,
    [fleet.map(({ deviceId }) => deviceId)],
  );
  return (rows[0]?.last ?? Number.NaN) - fromSeconds;
}

process.exitCode = await runBench('windows', bench);
