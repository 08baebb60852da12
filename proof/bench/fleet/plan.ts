import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { monotonicMs } from '../shared/old-load.ts';
import type { Sender } from '../shared/receipt.ts';
import { progress } from '../shared/run.ts';
import { measureDrain, measureHalfLoad, measureSealing, measureThrough } from './cases.ts';
import type { Checks, FleetResults, Sealing, ThroughToAuthority } from './results.ts';
import { addDevices, addSubmittedDevices, type Stage } from './stage.ts';
import type { TillsResult } from './tills.ts';

export interface Case {
  readonly devices: number;
  readonly answerMs: number;
  readonly isDrained?: boolean;
}

export const CASES: readonly Case[] = [
  { devices: 1000, answerMs: 0 },
  { devices: 1000, answerMs: 50, isDrained: true },
  { devices: 1000, answerMs: 1000 },
  { devices: 10_000, answerMs: 50 },
];

const UNSUBMITTED = 1000;
const MAX_DRAIN_SECONDS = 45;
const SEALING_SECONDS = 4;
/** In a few seconds two or three slow moments would decide the tail. */
const HALF_LOAD_SECONDS = 10;
/** The service compiles its code and loads every device. */
const FIRST_WARM_UP_SECONDS = 6;
/** The first receipt of a device opens its connection: both sides of the handshake on the same two cores, about 4 ms. */
const WARM_UP_SECONDS = (devices: number) => 15 + devices / 100;

type Measured = Pick<FleetResults, 'sealing' | 'throughToAuthority' | 'checks'>;

/** Sealing alone before and after every case, because the machine's speed changes. */
export async function measureCases(
  stage: Stage,
  cases: readonly Case[],
  { seconds, backlog }: { readonly seconds: number; readonly backlog: number },
): Promise<Measured> {
  const unsubmitted = await addDevices(stage, UNSUBMITTED);
  const fleets = new Map<number, Sender[]>();
  const pieces = [await measureSealing(stage, unsubmitted, FIRST_WARM_UP_SECONDS, SEALING_SECONDS)];
  const throughToAuthority: ThroughToAuthority[] = [];
  for (const { devices, answerMs, isDrained } of cases) {
    // Not all at the start: ten thousand devices would need care while a thousand are measured.
    const fleet = fleets.get(devices) ?? (await addSubmittedDevices(stage, devices));
    fleets.set(devices, fleet);
    const times = { warmUpSeconds: WARM_UP_SECONDS(devices), seconds };
    const through = await measureThrough(stage, fleet, answerMs, times);
    pieces.push(await measureSealing(stage, unsubmitted, 0.5, SEALING_SECONDS));
    const sealedPerSecond = mean(pieces.slice(-2).map(({ perSecond }) => perSecond));
    const ratioToSealing = through.submittedPerSecond / sealedPerSecond;
    const half = through.submittedPerSecond / 2;
    const halfLoad = await measureHalfLoad(stage, fleet, unsubmitted, answerMs, half, HALF_LOAD_SECONDS);
    const drainPerSecond = isDrained ? await measureDrain(stage, fleet, answerMs, backlog, MAX_DRAIN_SECONDS) : null;
    throughToAuthority.push({
      devices,
      answerMs,
      ...through,
      sealedPerSecond,
      ratioToSealing,
      ...halfLoad,
      drainPerSecond,
    });
  }
  progress('looking for what was lost');
  return { sealing: sealingOf(pieces), throughToAuthority, checks: await check(stage) };
}

function sealingOf(pieces: readonly TillsResult[]): Sealing {
  return {
    devices: UNSUBMITTED,
    receiptsPerSecond: mean(pieces.map(({ perSecond }) => perSecond)),
    p50Ms: mean(pieces.map(({ p50Ms }) => p50Ms)),
    p99Ms: mean(pieces.map(({ p99Ms }) => p99Ms)),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The last signatures may not have been verified yet: that happens in the background. */
const PROOF_MS = 20_000;

async function check({ service, authority, notes, signal }: Stage): Promise<Checks> {
  const { rows } = await service.pool.query<{ waiting: number }>(
    `select coalesce(sum(h.global_counter - l.submitted_through), 0)::integer as waiting
       from device_lanes l join device_heads h using (taxpayer_id, device_id)`,
  );
  const deadline = monotonicMs() + PROOF_MS;
  let unproved = await countUnproved(service.pool);
  while (unproved > 0 && monotonicMs() < deadline) {
    await delay(500, undefined, { signal });
    unproved = await countUnproved(service.pool);
  }
  const { astray, repeated } = authority.counts();
  return { errors: notes.errors, astray, repeated, waiting: rows[0]?.waiting ?? 0, unproved };
}

async function countUnproved(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'select count(*)::integer as count from submissions where is_server_signature_valid is not true',
  );
  return rows[0]?.count ?? 0;
}
