import type { Pool } from 'pg';
import { exportLines } from '../../../src/fiscal/index.ts';
import { Checker, type Finding } from '../../../src/verifier/index.ts';

export type ChainVerdict =
  | { readonly holds: true; readonly count: number }
  | { readonly holds: false; readonly finding: Finding };

/** The whole history of a device as it is stored, in the form of its export. */
export async function storedLines(pool: Pool, deviceId: number): Promise<string[]> {
  const { rows } = await pool.query<{ taxpayerId: string }>(
    'select taxpayer_id as "taxpayerId" from devices where device_id = $1',
    [deviceId],
  );
  if (rows[0] === undefined) throw new Error(`there is no device ${deviceId}`);
  const key = { taxpayerId: rows[0].taxpayerId, deviceId };
  const lines = exportLines(pool, key, { fromDay: 1, throughDay: undefined }, new Date());
  return Array.fromAsync(lines, ({ text }) => text);
}

/** By the verifier, which shares no code with sealing. The chains of tests begin at receipt 1. */
export async function proveChain(pool: Pool, deviceId: number): Promise<ChainVerdict> {
  const checker = new Checker();
  for (const line of await storedLines(pool, deviceId)) {
    const finding = checker.take(line);
    if (finding !== undefined) return { holds: false, finding };
  }
  const { receipts = 0, firstGlobalCounter = 1 } = checker.proof() ?? {};
  if (firstGlobalCounter !== 1) throw new Error(`the chain of device ${deviceId} begins at ${firstGlobalCounter}`);
  return { holds: true, count: receipts };
}

export interface HeadRow {
  readonly global_counter: number;
  readonly fiscal_day_counter: number;
  readonly last_hash: Buffer | null;
  readonly last_date: string | null;
  readonly day_volume: string;
}

/** To show that a refused request consumed nothing: the head before equals the head after. */
export async function headOf(pool: Pool, deviceId: number): Promise<HeadRow> {
  const { rows } = await pool.query<HeadRow>(
    'select global_counter, fiscal_day_counter, last_hash, last_date, day_volume from device_heads where device_id = $1',
    [deviceId],
  );
  if (rows[0] === undefined) throw new Error(`there is no device ${deviceId}`);
  return rows[0];
}
