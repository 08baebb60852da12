import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { deviceCommonName } from '../../../src/fdms/index.ts';
import { createTestCa, type TestAuthorityKey } from '../../../test/support/authority/server.ts';
import type { Sender } from '../shared/receipt.ts';
import { startSide } from '../shared/side-process.ts';

interface Credentials {
  readonly cert: string;
  readonly key: string;
}

export interface AuthorityIdentity {
  readonly caPem: string;
  readonly server: Credentials;
  /** It signs receipts with it. */
  readonly signing: Credentials;
}

export interface AuthorityBehaviour {
  readonly answerMs: number;
  /** Answers 503 to everything. */
  readonly isAway: boolean;
}

export interface AuthorityCounts {
  /** Receipts, each counted once. */
  readonly accepted: number;
  readonly repeated: number;
  /** Numbers that did not follow the last one of their device. */
  readonly astray: number;
  readonly connections: number;
  readonly cpuMs: number;
}

export type Authority = Awaited<ReturnType<typeof startAuthority>>;

export async function startAuthority(folder: string) {
  const ca = await createTestCa('CN=Bench CA');
  const caFile = join(folder, 'authority-ca.pem');
  await writeFile(caFile, ca.caPem);
  const side = startSide(join(import.meta.dirname, 'authority-process.ts'));
  const [server, signing] = await Promise.all([ca.issueServer(['127.0.0.1']), ca.issueServer(['signing'])]);
  const { port } = await side.ask<{ port: number }>({ caPem: ca.caPem, server, signing } satisfies AuthorityIdentity);
  let counts: AuthorityCounts = { accepted: 0, repeated: 0, astray: 0, connections: 0, cpuMs: 0 };
  side.child.on('message', (message: AuthorityCounts) => {
    counts = message;
  });
  return {
    /** Lead an instance to it. */
    settings: { AUTHORITY_URL: `https://127.0.0.1:${port}`, AUTHORITY_CA_FILE: caFile, SUBMISSION_WAIT_MS: '0' },
    behave: (answerMs: number, isAway = false) =>
      void side.child.send({ answerMs, isAway } satisfies AuthorityBehaviour),
    /** At most some milliseconds old. */
    counts: () => counts,
    join: (pool: Pool, senders: readonly Sender[]) => joinAuthority(pool, ca, senders),
    [Symbol.asyncDispose]: side[Symbol.asyncDispose],
  };
}

/**
 * Makes devices known to the authority, as if they had been registered long ago: certificates, a confirmed day, and lanes that are
 * due for care at different times. Receipts that they have sealed before are left out.
 */
async function joinAuthority(pool: Pool, ca: TestAuthorityKey, senders: readonly Sender[]): Promise<void> {
  const ids = senders.map(({ deviceId }) => deviceId);
  const { rows } = await pool.query<{ id: number; serial: string; publicKey: string }>(
    `select device_id as id, serial_number as serial, public_key_pem as "publicKey" from device_keys
       join devices using (taxpayer_id, device_id) where device_id = any ($1)`,
    [ids],
  );
  const pems: string[] = [];
  for (const { id, serial, publicKey } of rows)
    pems.push(await ca.issueFor(`CN=${deviceCommonName(serial, id)}`, publicKey));
  await pool.query(
    `update device_keys k set certificate_pem = c.pem, certificate_valid_till = now() + interval '364 days'
       from unnest($1::integer[], $2::text[]) as c (device_id, pem) where k.device_id = c.device_id`,
    [rows.map(({ id }) => id), pems],
  );
  const statements = [
    `update device_configurations
        set taxpayer_name = 'Bench', taxpayer_tin = '2000000001', vat_number = '220000001', branch_name = 'Bench',
            branch_address = '{"province":"Harare","city":"Harare","street":"First Street","houseNo":"1"}'
      where device_id = any ($1)`,
    'update devices set registered_at = now() where device_id = any ($1)',
    `insert into fiscal_days (taxpayer_id, device_id, fiscal_day_number, opened_at, opened_wall, open_confirmed_at)
     select taxpayer_id, device_id, fiscal_day_number, day_opened_at, day_opened_at at time zone 'Africa/Harare', day_opened_at
       from device_heads where device_id = any ($1)`,
    `insert into device_lanes (taxpayer_id, device_id, submitted_through, next_step_at, configuration_checked_at,
                               status_checked_at, pinged_at)
     select taxpayer_id, device_id, global_counter, now() + (1 - pinged) * interval '5 minutes', now(),
            now() - random() * interval '10 minutes', now() - pinged * interval '5 minutes'
       from (select *, random() as pinged from device_heads where device_id = any ($1)) heads`,
    'update device_heads set revision = revision + 1 where device_id = any ($1)',
  ];
  for (const statement of statements) await pool.query(statement, [ids]);
  await pool.query(
    'vacuum analyze device_keys, device_heads, device_lanes, device_configurations, fiscal_days, devices',
  );
}
