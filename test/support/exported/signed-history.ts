/**
 * A device's history as its export has it, signed with keys of the test, without a service: so that a test can change anything, before it
 * is signed or afterwards. The signed texts are those of src/fdms, which shares no code with the verifier.
 */
import { createHash, createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { countReceipts, type MoneyType } from '../../../src/fdms/core/day-counters.ts';
import { countersString, dayString } from '../../../src/fdms/core/day-string.ts';
import { type ReceiptType, signingString } from '../../../src/fdms/core/signing-string.ts';
import { verification } from '../../../src/fdms/core/verification.ts';
import { dayServerTexts, receiptServerTexts } from '../../../src/fdms/index.ts';
import { decimal, formatFixed } from '../../../src/kernel/decimal.ts';
import { createTestCa } from '../authority/server.ts';

export const DEVICE_ID = 77;
const QR_URL = 'https://verify.example.com/';

type Line = Record<string, unknown>;

export interface HistoryTax {
  readonly id: number;
  readonly percent: string | null;
  readonly tax: string;
  readonly sales: string;
}

export interface HistoryReceipt {
  readonly kind: 'receipt';
  readonly reference: string;
  readonly type: ReceiptType;
  readonly currency: string;
  readonly date: string;
  readonly total: string;
  readonly taxes: readonly HistoryTax[];
  readonly payments: readonly (readonly [MoneyType, string])[];
  /** What stands beside it in the body, and what is another thing there. */
  readonly body?: object;
  /** In the columns. */
  readonly columns?: object;
  /** Undefined: it is not submitted. */
  readonly serverDate?: string;
}

interface Signer {
  readonly key: KeyObject;
  readonly cert: string;
}

export interface HistoryDay {
  readonly kind: 'day-open' | 'day-close';
  readonly number: number;
  /** When it was opened, or closed. */
  readonly at: string;
  readonly reconciliation?: 'Auto' | 'Manual';
}

export type HistoryEntry = HistoryReceipt | HistoryDay;

export class SignedHistory {
  readonly #device: Signer;
  readonly #authority: Signer;

  private constructor(device: Signer, authority: Signer) {
    this.#device = device;
    this.#authority = authority;
  }

  static async create(): Promise<SignedHistory> {
    const ca = await createTestCa();
    const [device, authority] = await Promise.all([ca.issueServer(['device']), ca.issueServer(['authority'])]);
    const read = ({ cert, key }: { cert: string; key: string }) => ({ cert, key: createPrivateKey(key) });
    return new SignedHistory(read(device), read(authority));
  }

  get thumbprint(): string {
    return new X509Certificate(this.#authority.cert).fingerprint.replaceAll(':', '');
  }

  get deviceCertificate(): string {
    return this.#device.cert;
  }

  get authorityCertificate(): string {
    return this.#authority.cert;
  }

  /** The lines of all entries, with header and end. */
  lines(entries: readonly HistoryEntry[]): Line[] {
    const lines: Line[] = [];
    let day = {
      number: 0,
      opened: '',
      count: 0,
      lastHash: undefined as Buffer | undefined,
      receipts: [] as HistoryReceipt[],
    };
    let globalCounter = 0;
    for (const entry of entries) {
      if (entry.kind === 'receipt') {
        globalCounter += 1;
        day.count += 1;
        const { line, hash } = this.#receipt(entry, { globalCounter, day });
        day.lastHash = hash;
        day.receipts.push(entry);
        lines.push(line);
      } else if (entry.kind === 'day-open') {
        day = { number: entry.number, opened: entry.at, count: 0, lastHash: undefined, receipts: [] };
        lines.push({ Kind: 'day-open', FiscalDayNumber: entry.number, Opened: entry.at });
      } else lines.push(this.#close(entry, day.opened, day.receipts));
    }
    const receipts = lines.filter((line) => line['Kind'] === 'receipt');
    const days = lines.filter((line) => line['Kind'] === 'day-open');
    const head = { GlobalCounter: globalCounter, Hash: receipts.at(-1)?.['Hash'] ?? null };
    return [this.#header(head), ...lines, { Kind: 'end', Receipts: receipts.length, Days: days.length }];
  }

  #header(Head: object): Line {
    const publicKey = new X509Certificate(this.#device.cert).publicKey.export({ type: 'spki', format: 'pem' });
    return {
      Kind: 'header',
      Format: 'tillseal-export/1',
      AuthorityDeviceId: DEVICE_ID,
      SerialNumber: 'SN-77',
      Zone: 'Africa/Harare',
      TaxpayerName: 'Test shop',
      TIN: '2000000001',
      LastBefore: null,
      Head,
      Keys: [{ Version: 1, PublicKey: publicKey, Certificate: this.#device.cert }],
      Configurations: [{ Version: 1, QrUrl: QR_URL }],
      AuthorityCertificates: [{ Thumbprint: this.thumbprint, Certificate: this.#authority.cert }],
    };
  }

  #receipt(
    entry: HistoryReceipt,
    {
      globalCounter,
      day,
    }: { globalCounter: number; day: { number: number; count: number; lastHash: Buffer | undefined } },
  ): { readonly line: Line; readonly hash: Buffer } {
    const { type, currency, date, total, reference } = entry;
    const text = signingString({
      deviceId: DEVICE_ID,
      type,
      currency,
      globalCounter,
      date,
      total: decimal(total),
      taxes: sealedTaxes(entry),
      previousHash: day.lastHash,
    });
    const { hash, signature } = signed(this.#device.key, text);
    const qr = verification({ qrUrl: QR_URL, deviceId: DEVICE_ID, date, globalCounter, signature });
    const line = {
      Kind: 'receipt',
      GlobalCounter: globalCounter,
      FiscalDayNumber: day.number,
      FiscalDayCounter: day.count,
      Reference: reference,
      Type: type,
      Currency: currency,
      Total: total,
      Date: date,
      Taxes: entry.taxes.map(({ id, percent, tax, sales }) => ({
        TaxId: id,
        TaxPercent: percent,
        TaxAmount: tax,
        SalesAmountWithTax: sales,
      })),
      PreviousHash: day.lastHash?.toString('base64') ?? null,
      Hash: hash.toString('base64'),
      Signature: signature.toString('base64'),
      KeyVersion: 1,
      ConfigurationVersion: 1,
      VerificationCode: qr.verificationCode,
      QrCodeContent: qr.qrContent,
      Submission: this.#submission(entry, signature, globalCounter),
      Body: bodyOf(entry),
      ...entry.columns,
    };
    return { line, hash };
  }

  #submission({ serverDate }: HistoryReceipt, signature: Buffer, globalCounter: number): object | null {
    if (serverDate === undefined) return null;
    const receiptId = 1000 + globalCounter;
    const [text = ''] = receiptServerTexts({ deviceSignature: signature.toString('base64'), receiptId, serverDate });
    return { State: 'Submitted', AuthorityReceiptId: receiptId, ServerDate: serverDate, ...this.#evidence(text) };
  }

  #close(
    { number, at, reconciliation = 'Auto' }: HistoryDay,
    opened: string,
    receipts: readonly HistoryReceipt[],
  ): Line {
    const counters = countReceipts(
      receipts.map((receipt) => ({
        type: receipt.type,
        currency: receipt.currency,
        taxes: sealedTaxes(receipt),
        payments: receipt.payments.map(([moneyType, amount]) => ({ moneyType, amount: decimal(amount) })),
      })),
    );
    const fiscalDayDate = opened.slice(0, 10);
    const { hash, signature } = signed(
      this.#device.key,
      dayString({ deviceId: DEVICE_ID, fiscalDayNumber: number, fiscalDayDate, counters }),
    );
    const [text = ''] = dayServerTexts({
      deviceId: DEVICE_ID,
      fiscalDayNo: number,
      fiscalDayDate,
      fiscalDayClosed: at,
      reconciliationMode: reconciliation,
      counters: countersString(counters),
      deviceSignature: signature.toString('base64'),
    });
    return {
      Kind: 'day-close',
      FiscalDayNumber: number,
      Closed: at,
      Reconciliation: reconciliation,
      ReceiptCount: receipts.length,
      Counters: counters.map((counter) => ({
        Type: counter.type,
        Currency: counter.currency,
        ...(counter.type === 'BalanceByMoneyType'
          ? { MoneyType: counter.moneyType }
          : { TaxId: counter.taxId, TaxPercent: counter.taxPercent && formatFixed(counter.taxPercent, 2) }),
        Value: formatFixed(counter.value, 2),
      })),
      Hash: hash.toString('base64'),
      Signature: signature.toString('base64'),
      KeyVersion: 1,
      Authority: this.#evidence(text),
    };
  }

  #evidence(text: string): object {
    const { hash, signature } = signed(this.#authority.key, text);
    return {
      Hash: hash.toString('base64'),
      Signature: signature.toString('base64'),
      CertificateThumbprint: this.thumbprint,
    };
  }
}

function signed(key: KeyObject, text: string): { readonly hash: Buffer; readonly signature: Buffer } {
  const bytes = Buffer.from(text, 'utf8');
  return { hash: createHash('sha256').update(bytes).digest(), signature: sign('sha256', bytes, key) };
}

function sealedTaxes({ taxes }: HistoryReceipt) {
  return taxes.map(({ id, percent, tax, sales }) => ({
    taxId: id,
    taxPercent: percent === null ? null : decimal(percent),
    taxAmount: decimal(tax),
    salesAmountWithTax: decimal(sales),
  }));
}

function bodyOf(entry: HistoryReceipt): object {
  const { type, currency, reference, date, total, taxes, payments, body } = entry;
  return {
    AuthorityDeviceId: DEVICE_ID,
    Reference: reference,
    Type: type,
    Currency: currency,
    Date: date,
    TotalAmount: Number(total),
    ReceiptLinesTaxInclusive: true,
    ReceiptLines: taxes.map(({ sales }) => ({ LineTotal: Number(sales) })),
    Payments: payments.map(([moneyType, amount]) => ({ Type: moneyType, Amount: Number(amount) })),
    Taxes: taxes.map(({ percent, tax, sales }) => ({
      ...(percent !== null && { TaxPercent: Number(percent) }),
      TaxAmount: Number(tax),
      SalesAmountWithTax: Number(sales),
    })),
    ...body,
  };
}
