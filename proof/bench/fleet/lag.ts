import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Sender } from '../shared/receipt.ts';

/** How many devices are watched: watching all of them would cost more than the work. */
const WATCHED = 200;
const LOOK_EVERY_MS = 20;

/**
 * The time from a receipt's seal until its acceptance is stored, to within the interval of looking, for a sample of devices. A
 * receipt that is not accepted in time counts with its age at the end.
 */
export async function watchLag<Result>(
  pool: Pool,
  senders: readonly Sender[],
  patienceMs: number,
  load: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly lagsMs: number[] }> {
  const sample = await sampleOf(pool, senders);
  const startedAtMs = Date.now();
  const seen = new Map<number, { through: number; atMs: number }[]>();
  const watched = new AbortController();
  const watch = async () => {
    while (!watched.signal.aborted) {
      const through = await lookAt(pool, sample);
      const atMs = Date.now();
      for (const [deviceId, counter] of through) {
        const moments = seen.get(deviceId) ?? [];
        if (moments.at(-1)?.through !== counter) seen.set(deviceId, [...moments, { through: counter, atMs }]);
      }
      await delay(LOOK_EVERY_MS);
    }
  };
  const watching = watch();
  const result = await load();
  const sealed = await sealedSince(pool, sample, startedAtMs);
  const isAccepted = ({ deviceId, counter }: Sealed) => (seen.get(deviceId)?.at(-1)?.through ?? 0) >= counter;
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline && !sealed.every(isAccepted)) await delay(LOOK_EVERY_MS);
  watched.abort();
  await watching;
  const endedAtMs = Date.now();
  const lagsMs = sealed.map(({ deviceId, counter, atMs }) => {
    const accepted = seen.get(deviceId)?.find(({ through }) => through >= counter);
    return (accepted?.atMs ?? endedAtMs) - atMs;
  });
  return { result, lagsMs };
}

interface Sample {
  readonly taxpayerIds: readonly string[];
  readonly deviceIds: readonly number[];
}

/** Evenly spread over all. */
async function sampleOf(pool: Pool, senders: readonly Sender[]): Promise<Sample> {
  const apart = Math.max(1, Math.floor(senders.length / WATCHED));
  const ids = senders.filter((_, index) => index % apart === 0).map(({ deviceId }) => deviceId);
  const { rows } = await pool.query<{ taxpayer_id: string; device_id: number }>(
    'select taxpayer_id, device_id from devices where device_id = any ($1)',
    [ids],
  );
  return { taxpayerIds: rows.map((row) => row.taxpayer_id), deviceIds: rows.map((row) => row.device_id) };
}

const SAMPLE = 'unnest($1::uuid[], $2::integer[]) as sample (taxpayer_id, device_id)';

async function lookAt(pool: Pool, { taxpayerIds, deviceIds }: Sample): Promise<[number, number][]> {
  const { rows } = await pool.query<[number, number]>({
    name: 'bench-lag',
    rowMode: 'array',
    text: `select device_id, submitted_through from ${SAMPLE} join device_lanes using (taxpayer_id, device_id)`,
    values: [taxpayerIds, deviceIds],
  });
  return rows;
}

interface Sealed {
  readonly deviceId: number;
  readonly counter: number;
  readonly atMs: number;
}

async function sealedSince(pool: Pool, { taxpayerIds, deviceIds }: Sample, sinceMs: number): Promise<Sealed[]> {
  const { rows } = await pool.query<Sealed>(
    `select device_id as "deviceId", global_counter as counter, (extract(epoch from sealed_at) * 1000)::float8 as "atMs"
       from ${SAMPLE} join receipts using (taxpayer_id, device_id) where sealed_at >= to_timestamp($3::float8 / 1000)`,
    [taxpayerIds, deviceIds, sinceMs],
  );
  return rows;
}
