import type { Pool } from 'pg';
import type { SealedTax } from '../../../src/fdms/core/signing-string.ts';
import type { ReceiptType } from '../../../src/fdms/index.ts';
import { loadPublicKey } from '../../../src/fiscal/signing/device-key.ts';
import { decimal } from '../../../src/kernel/decimal.ts';
import { type ChainReceipt, type ChainVerdict, verifyChain } from './verify-chain.ts';

interface Row {
  type: ReceiptType;
  currency: string;
  total: string;
  signed_date: string;
  global_counter: number;
  fiscal_day_number: number;
  fiscal_day_counter: number;
  previous_hash: Buffer | null;
  hash: Buffer;
  signature: Buffer;
  taxes: string;
}

/** Proves the stored chain of a device from its rows, its head and its public keys: nothing of it is taken on trust. */
export async function proveChain(pool: Pool, deviceId: number): Promise<ChainVerdict> {
  const receipts = await pool.query<Row>(
    `select type, currency, total, signed_date, global_counter, fiscal_day_number, fiscal_day_counter, previous_hash, hash,
            signature, taxes
       from receipts where device_id = $1 order by global_counter`,
    [deviceId],
  );
  const keys = await pool.query<{ public_key_pem: string }>(
    'select public_key_pem from device_keys where device_id = $1',
    [deviceId],
  );
  const head = await headOf(pool, deviceId);
  return verifyChain(
    receipts.rows.map((row) => chainReceipt(deviceId, row)),
    {
      deviceId,
      firstGlobalCounter: 1,
      head: { globalCounter: head.global_counter, hash: head.last_hash ?? Buffer.alloc(32) },
      publicKeys: keys.rows.map((row) => loadPublicKey(row.public_key_pem)),
    },
  );
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

function chainReceipt(deviceId: number, row: Row): ChainReceipt {
  return {
    deviceId,
    type: row.type,
    currency: row.currency,
    globalCounter: row.global_counter,
    date: row.signed_date.replace(' ', 'T'),
    total: decimal(row.total),
    taxes: (JSON.parse(row.taxes) as TaxRow[]).map(taxOfRow),
    previousHash: row.previous_hash ?? undefined,
    fiscalDayNumber: row.fiscal_day_number,
    fiscalDayCounter: row.fiscal_day_counter,
    hash: row.hash,
    signature: row.signature,
  };
}

type TaxRow = { taxId: number; taxPercent: string | null; taxAmount: string; salesAmountWithTax: string };

function taxOfRow(tax: TaxRow): SealedTax {
  return {
    taxId: tax.taxId,
    taxPercent: tax.taxPercent === null ? null : decimal(tax.taxPercent),
    taxAmount: decimal(tax.taxAmount),
    salesAmountWithTax: decimal(tax.salesAmountWithTax),
  };
}
