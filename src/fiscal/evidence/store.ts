import { dayServerTexts, receiptServerTexts, type SignedByServer } from '../../fdms/index.ts';
import { arraysOf, type Column, plain, unnested } from '../../platform/database/column-arrays.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { update } from '../../platform/database/rows.ts';
import { type KeptCounters, keptCountersString, parseCounters } from '../core/kept-counters.ts';
import type { ReceiptKey } from '../core/keys.ts';
import type { DayKey } from '../days/store.ts';

export async function findCertificate(db: Queryable, thumbprint: string): Promise<string | undefined> {
  const { rows } = await db.query<{ pem: string }>(
    'select certificate_pem as pem from authority_certificates where thumbprint = $1',
    [thumbprint],
  );
  return rows[0]?.pem;
}

/** So that evidence can be checked years later without asking the authority. */
export async function keepCertificate(db: Queryable, thumbprint: string, pem: string): Promise<void> {
  await db.query(
    'insert into authority_certificates (thumbprint, certificate_pem) values ($1, $2) on conflict do nothing',
    [thumbprint, pem],
  );
}

const UNPROVED = `is_server_signature_valid is null and server_signature is not null
  and server_certificate_thumbprint is not null`;

/**
 * From each thumbprint straight to the next one in the index: there are one or two, and perhaps a million rows that name
 * them while a certificate does not come.
 */
function thumbprintsIn(table: 'submissions' | 'fiscal_days'): string {
  const first = (after: string) =>
    `select server_certificate_thumbprint from ${table} where ${UNPROVED} ${after} order by server_certificate_thumbprint limit 1`;
  return `(${first('')}) union all
          select next.server_certificate_thumbprint from ${table}_thumbprints t
            cross join lateral (${first('and server_certificate_thumbprint > t.thumbprint')}) next`;
}

export const FIND_UNPROVED_THUMBPRINTS = {
  name: 'find-unproved-thumbprints',
  text: `with recursive submissions_thumbprints (thumbprint) as (${thumbprintsIn('submissions')}),
              fiscal_days_thumbprints (thumbprint) as (${thumbprintsIn('fiscal_days')})
         select thumbprint from submissions_thumbprints union select thumbprint from fiscal_days_thumbprints`,
};

/** Thumbprints of the certificates that unproved signatures name, as they came. */
export async function findUnprovedThumbprints(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ thumbprint: string }>(FIND_UNPROVED_THUMBPRINTS);
  return rows.map((row) => row.thumbprint);
}

export interface UnprovedReceipt extends ReceiptKey, DayKey {
  readonly reference: string;
  readonly signed: SignedByServer;
}

interface SignatureRow {
  taxpayerId: string;
  deviceId: number;
  serverHash: Buffer | null;
  serverSignature: Buffer;
}

export async function listUnprovedReceipts(
  db: Queryable,
  thumbprint: string,
  limit: number,
): Promise<UnprovedReceipt[]> {
  const { rows } = await db.query<
    SignatureRow & {
      globalCounter: number;
      fiscalDayNumber: number;
      reference: string;
      signature: Buffer;
      receiptId: bigint;
      serverDate: string | null;
      serverDateText: string | null;
    }
  >(
    `select taxpayer_id as "taxpayerId", device_id as "deviceId", global_counter as "globalCounter", r.fiscal_day_number as "fiscalDayNumber", r.reference, r.signature,
            s.authority_receipt_id as "receiptId", s.server_date as "serverDate",
            s.server_date_text as "serverDateText", s.server_hash as "serverHash", s.server_signature as "serverSignature"
       from submissions s join receipts r using (taxpayer_id, device_id, global_counter)
      where s.server_certificate_thumbprint = $1 and ${UNPROVED} limit $2`,
    [thumbprint, limit],
  );
  return rows.map((row) => ({
    ...row,
    signed: {
      texts: receiptServerTexts({
        deviceSignature: row.signature.toString('base64'),
        receiptId: row.receiptId,
        serverDate: row.serverDateText ?? row.serverDate?.replace(' ', 'T') ?? '',
      }),
      signature: signatureOf(row, thumbprint),
    },
  }));
}

export interface UnprovedDay extends DayKey {
  readonly counters: KeptCounters;
  readonly signed: SignedByServer;
}

export async function listUnprovedDays(db: Queryable, thumbprint: string, limit: number): Promise<UnprovedDay[]> {
  const { rows } = await db.query<
    SignatureRow & {
      fiscalDayNumber: number;
      openedWall: string;
      closedWall: string | null;
      closedText: string | null;
      reconciliation: 'Auto' | 'Manual';
      counters: string | null;
      deviceSignature: Buffer | null;
    }
  >(
    `select taxpayer_id as "taxpayerId", device_id as "deviceId", fiscal_day_number as "fiscalDayNumber",
            opened_wall as "openedWall", closed_wall as "closedWall", closed_text as "closedText", reconciliation, counters,
            device_signature as "deviceSignature", server_hash as "serverHash", server_signature as "serverSignature"
       from fiscal_days where server_certificate_thumbprint = $1 and ${UNPROVED} limit $2`,
    [thumbprint, limit],
  );
  return rows.map((row) => {
    const counters = parseCounters(row.counters ?? '[]');
    const texts = dayServerTexts({
      deviceId: row.deviceId,
      fiscalDayNo: row.fiscalDayNumber,
      fiscalDayDate: row.openedWall.slice(0, 10),
      fiscalDayClosed: row.closedText ?? row.closedWall?.replace(' ', 'T') ?? '',
      reconciliationMode: row.reconciliation,
      counters: keptCountersString(counters),
      deviceSignature: row.deviceSignature?.toString('base64') ?? '',
    });
    return { ...row, counters, signed: { texts, signature: signatureOf(row, thumbprint) } };
  });
}

function signatureOf({ serverHash, serverSignature }: SignatureRow, certificateThumbprint: string) {
  const signature = { signature: serverSignature.toString('base64'), certificateThumbprint };
  return serverHash === null ? signature : { ...signature, hash: serverHash.toString('base64') };
}

const JUDGED: readonly Column<ReceiptKey>[] = [
  plain('taxpayer_id', 'uuid', ({ taxpayerId }) => taxpayerId),
  plain('device_id', 'integer', ({ deviceId }) => deviceId),
  plain('global_counter', 'integer', ({ globalCounter }) => globalCounter),
];

/** Returns those that were undecided before, as `device:number`. */
export async function decideReceipts(
  db: Queryable,
  receipts: readonly UnprovedReceipt[],
  isValid: boolean,
): Promise<string[]> {
  if (receipts.length === 0) return [];
  const { rows } = await db.query<{ key: string }>({
    name: 'decide-evidence-of-receipts',
    text: `update submissions s set is_server_signature_valid = $1 from ${unnested(JUDGED, 2, 'j')}
            where s.taxpayer_id = j.taxpayer_id and s.device_id = j.device_id and s.global_counter = j.global_counter
              and ${UNPROVED}
           returning s.device_id || ':' || s.global_counter as key`,
    values: [isValid, ...arraysOf(JUDGED, receipts)],
  });
  return rows.map(({ key }) => key);
}

export function decideDay(db: Queryable, key: DayKey, isServerSignatureValid: boolean): Promise<void> {
  const { taxpayerId, deviceId, fiscalDayNumber } = key;
  return update(db, 'fiscal_days', { taxpayerId, deviceId, fiscalDayNumber }, { isServerSignatureValid });
}

/** Taxpayers for whom something waits for this certificate. */
export async function findOwners(db: Queryable, thumbprint: string): Promise<{ readonly taxpayerId: string }[]> {
  const { rows } = await db.query<{ taxpayerId: string }>(
    `select taxpayer_id as "taxpayerId" from submissions where server_certificate_thumbprint = $1 and ${UNPROVED}
     union select taxpayer_id from fiscal_days where server_certificate_thumbprint = $1 and ${UNPROVED}`,
    [thumbprint],
  );
  return rows;
}
