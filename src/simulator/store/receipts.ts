import type { FdmsMoneyType, SignatureDataEx } from '../../fdms/index.ts';
import { decimal, formatDecimal } from '../../kernel/decimal.ts';
import type { SubmittedReceipt } from '../core/receipt.ts';
import type { Remark } from '../core/remarks.ts';
import type { Database } from './database.ts';

type Kept = 'type' | 'currency' | 'counter' | 'globalNo' | 'invoiceNo' | 'date' | 'taxes' | 'payments' | 'total';

/** A receipt the authority holds. */
export interface StoredReceipt extends Pick<SubmittedReceipt, Kept> {
  readonly receiptId: number;
  readonly deviceId: number;
  readonly tin: string;
  readonly dayNo: number;
  readonly hash: string;
  readonly signature: string;
  readonly certificateId: number;
  readonly originalId: number | null;
  readonly remarks: readonly Remark[];
  readonly serverDate: number;
  readonly serverSignature: SignatureDataEx;
  /** The text of the request. */
  readonly request: string;
}

type Amounts = readonly [
  taxes: readonly (readonly [number, string | null, string | null, string, string])[],
  payments: readonly (readonly [FdmsMoneyType, string])[],
];
type ReceiptRow = Omit<StoredReceipt, 'total' | 'taxes' | 'payments' | 'remarks' | 'serverSignature'> &
  Readonly<Record<'total' | 'amounts' | 'remarks' | 'serverSignature', string>>;

const COLUMNS = `receipt_id as "receiptId", device_id as "deviceId", tin, day_no as "dayNo", global_no as "globalNo", counter,
  invoice_no as "invoiceNo", type, currency, date, total, amounts, hash, signature, certificate_id as "certificateId",
  original_id as "originalId", remarks, server_date as "serverDate", server_signature as "serverSignature", request`;

/** The number a receipt will get; taken and used within one transaction. */
export function nextReceiptId(db: Database): number {
  const row = db.get<{ last: number }>(`select seq as last from sqlite_sequence where name = 'submitted_receipts'`);
  return (row?.last ?? 0) + 1;
}

export function addReceipt(db: Database, { taxes, payments, ...receipt }: StoredReceipt): void {
  const amounts: Amounts = [
    taxes.map((tax) => [
      tax.taxId,
      tax.percent === undefined ? null : formatDecimal(tax.percent),
      tax.code ?? null,
      formatDecimal(tax.taxAmount),
      formatDecimal(tax.salesAmount),
    ]),
    payments.map(({ moneyType, amount }) => [moneyType, formatDecimal(amount)]),
  ];
  db.insert('submitted_receipts', {
    ...receipt,
    total: formatDecimal(receipt.total),
    amounts: JSON.stringify(amounts),
    ...remarkColumns(receipt.remarks),
    serverSignature: JSON.stringify(receipt.serverSignature),
  });
}

export function changeRemarks(db: Database, receiptId: number, remarks: readonly Remark[]): void {
  const { remarks: text, isGrey, isRed } = remarkColumns(remarks);
  db.run(
    'update submitted_receipts set remarks = ?, is_grey = ?, is_red = ? where receipt_id = ?',
    text,
    isGrey,
    isRed,
    receiptId,
  );
}

/** All receipts a device submitted under one number, in order of arrival: rightly there is one. */
export function receiptsByNumber(db: Database, deviceId: number, globalNo: number): StoredReceipt[] {
  return select(db, 'where device_id = ? and global_no = ? order by receipt_id', deviceId, globalNo);
}

export function receiptById(db: Database, receiptId: number): StoredReceipt | undefined {
  return select(db, 'where receipt_id = ?', receiptId)[0];
}

export function receiptsOfDay(db: Database, deviceId: number, dayNo: number): StoredReceipt[] {
  return select(db, 'where device_id = ? and day_no = ? order by counter, receipt_id', deviceId, dayNo);
}

export function receiptsOfDevice(db: Database, deviceId: number): StoredReceipt[] {
  return select(db, 'where device_id = ? order by receipt_id', deviceId);
}

export function notesOn(db: Database, originalId: number): StoredReceipt[] {
  return select(db, 'where original_id = ?', originalId);
}

/** The receipt that ended the days before this one. */
export function lastBeforeDay(db: Database, deviceId: number, dayNo: number): StoredReceipt | undefined {
  return select(
    db,
    'where device_id = ? and day_no < ? order by day_no desc, global_no desc limit 1',
    deviceId,
    dayNo,
  )[0];
}

export function firstOfDay(db: Database, deviceId: number, dayNo: number): StoredReceipt | undefined {
  return select(
    db,
    'where device_id = ? and day_no = ? and counter = 1 order by receipt_id limit 1',
    deviceId,
    dayNo,
  )[0];
}

/** The highest number of the latest day that has receipts: numbers may restart at 1 with a day. */
export function lastNumber(db: Database, deviceId: number): number | undefined {
  return firstNumber(db, deviceId, 'day_no desc, global_no desc');
}

export function numberOfLatestDate(db: Database, deviceId: number): number | undefined {
  return firstNumber(db, deviceId, 'date desc, receipt_id desc');
}

function firstNumber(db: Database, deviceId: number, order: string): number | undefined {
  const first = `select global_no as number from submitted_receipts where device_id = ? order by ${order} limit 1`;
  return db.get<{ number: number }>(first, deviceId)?.number;
}

export function isInvoiceNoTaken(db: Database, tin: string, invoiceNo: string): boolean {
  return (
    db.get('select 1 from submitted_receipts where tin = ? and invoice_no = ? limit 1', tin, invoiceNo) !== undefined
  );
}

/** By a receipt that came earlier than this one (or by any, while this one is not stored yet). */
export function isCounterTaken(
  db: Database,
  deviceId: number,
  dayNo: number,
  counter: number,
  receiptId?: number,
): boolean {
  return (
    db.get(
      'select 1 from submitted_receipts where device_id = ? and day_no = ? and counter = ? and receipt_id < ? limit 1',
      deviceId,
      dayNo,
      counter,
      receiptId ?? Number.MAX_SAFE_INTEGER,
    ) !== undefined
  );
}

export function dayColours(db: Database, deviceId: number, dayNo: number) {
  const row = db.get<{ grey: number | null; red: number | null; lastCounter: number | null }>(
    `select max(is_grey) as grey, max(is_red) as red, max(counter) as "lastCounter"
     from submitted_receipts where device_id = ? and day_no = ?`,
    deviceId,
    dayNo,
  );
  return { hasGrey: row?.grey === 1, hasRed: row?.red === 1, lastCounter: row?.lastCounter ?? 0 };
}

function select(db: Database, condition: string, ...values: (string | number)[]): StoredReceipt[] {
  return db.all<ReceiptRow>(`select ${COLUMNS} from submitted_receipts ${condition}`, ...values).map(toReceipt);
}

function toReceipt({ amounts, total, remarks, serverSignature, ...row }: ReceiptRow): StoredReceipt {
  const [taxes, payments] = JSON.parse(amounts) as Amounts;
  return {
    ...row,
    total: decimal(total),
    taxes: taxes.map(([taxId, percent, code, taxAmount, salesAmount]) => ({
      taxId,
      percent: percent === null ? undefined : decimal(percent),
      code: code ?? undefined,
      taxAmount: decimal(taxAmount),
      salesAmount: decimal(salesAmount),
    })),
    payments: payments.map(([moneyType, amount]) => ({ moneyType, amount: decimal(amount) })),
    remarks: JSON.parse(remarks) as Remark[],
    serverSignature: JSON.parse(serverSignature) as SignatureDataEx,
  };
}

function remarkColumns(remarks: readonly Remark[]) {
  const has = (colour: Remark['colour']) => (remarks.some((remark) => remark.colour === colour) ? 1 : 0);
  return { remarks: JSON.stringify(remarks), isGrey: has('Grey'), isRed: has('Red') };
}
