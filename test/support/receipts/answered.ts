import type { Pool } from 'pg';
import type { Seal } from './load.ts';

/** Of what was answered 200: those that are not in the table, or not with the same seal. */
export async function lostSeals(pool: Pool, seals: Iterable<Seal>): Promise<string[]> {
  const { rows } = await pool.query<{
    reference: string;
    device_id: number;
    global_counter: number;
    hash: Buffer;
    signature: Buffer;
  }>('select reference, device_id, global_counter, hash, signature from receipts');
  const stored = new Map(
    rows.map((row) => [
      row.reference,
      `${row.device_id}:${row.global_counter}:${row.hash.toString('base64')}:${row.signature.toString('base64')}`,
    ]),
  );
  return [...seals]
    .filter(
      (seal) =>
        stored.get(seal.Reference) !==
        `${seal.AuthorityDeviceId}:${seal.GlobalCounter}:${seal.DeviceHash}:${seal.DeviceSignature}`,
    )
    .map((seal) => seal.Reference);
}
