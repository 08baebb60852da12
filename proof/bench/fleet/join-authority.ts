import type { Pool } from 'pg';
import type { Sender } from '../shared/receipt.ts';
import type { BenchCertificates } from './certificates.ts';

/**
 * Makes the bench's devices known to the authority, as if they had been registered long ago: certificates, a confirmed day, and
 * lanes that are due for care at different times. Receipts that they have sealed before are left out.
 */
export async function joinAuthority(
  pool: Pool,
  certificates: BenchCertificates,
  senders: readonly Sender[],
): Promise<void> {
  const ids = senders.map(({ deviceId }) => deviceId);
  const { rows: keys } = await pool.query<{ device_id: number; public_key_pem: string }>(
    'select device_id, public_key_pem from device_keys where device_id = any ($1)',
    [ids],
  );
  await pool.query(
    `update device_keys k set certificate_pem = c.pem, certificate_valid_till = $3
       from unnest($1::integer[], $2::text[]) as c (device_id, pem) where k.device_id = c.device_id`,
    [
      keys.map((key) => key.device_id),
      keys.map((key) => certificates.issue(key.device_id, key.public_key_pem)),
      certificates.validTill,
    ],
  );
  await pool.query(
    `update device_configurations
        set taxpayer_name = 'Bench', taxpayer_tin = '2000000001', vat_number = '220000001', branch_name = 'Bench',
            branch_address = '{"province":"Harare","city":"Harare","street":"First Street","houseNo":"1"}'
      where device_id = any ($1)`,
    [ids],
  );
  await pool.query('update devices set registered_at = now() where device_id = any ($1)', [ids]);
  await pool.query(
    `insert into fiscal_days (taxpayer_id, device_id, fiscal_day_number, opened_at, opened_wall, open_confirmed_at)
     select taxpayer_id, device_id, fiscal_day_number, day_opened_at, day_opened_at at time zone 'Africa/Harare', day_opened_at
       from device_heads where device_id = any ($1)`,
    [ids],
  );
  await pool.query(
    `insert into device_lanes (taxpayer_id, device_id, submitted_through, next_step_at, configuration_checked_at,
                               status_checked_at, pinged_at)
     select taxpayer_id, device_id, global_counter, now() + (1 - pinged) * interval '5 minutes', now(),
            now() - random() * interval '10 minutes', now() - pinged * interval '5 minutes'
       from (select *, random() as pinged from device_heads where device_id = any ($1)) heads`,
    [ids],
  );
  await pool.query('update device_heads set revision = revision + 1 where device_id = any ($1)', [ids]);
  await pool.query(
    'vacuum analyze device_keys, device_heads, device_lanes, device_configurations, fiscal_days, devices',
  );
}
