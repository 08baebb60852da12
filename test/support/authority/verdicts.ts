import type { Pool } from 'pg';

/** What is known of the authority's signatures on a device's receipts and closed days; null is not proved yet. */
export async function verdictsOf(pool: Pool, deviceId: number) {
  const receipts = await pool.query<{ valid: boolean | null }>(
    'select is_server_signature_valid as valid from submissions where device_id = $1 order by global_counter',
    [deviceId],
  );
  const days = await pool.query<{ valid: boolean | null }>(
    'select is_server_signature_valid as valid from fiscal_days where device_id = $1 and closed_at is not null',
    [deviceId],
  );
  return { receipts: receipts.rows.map((row) => row.valid), days: days.rows.map((row) => row.valid) };
}
