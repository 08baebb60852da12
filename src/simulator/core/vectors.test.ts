import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FdmsCounterType, FdmsMoneyType, FdmsReceiptType } from '../../fdms/core/protocol.ts';
import { decimal } from '../../kernel/decimal.ts';
import { parseWall } from '../../kernel/zone.ts';
import { hashOf, isSignedWith } from './signature.ts';
import { dayServerString, dayString, receiptServerString, receiptString } from './signed-string.ts';
import { qrPath } from './verification-code.ts';

const FOLDER = resolve(import.meta.dirname, '../../../test/vectors');
const read = (name: string): unknown => JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));

interface Signed {
  readonly name: string;
  readonly deviceId: number;
  readonly canonical: string;
  readonly hash: string;
  readonly signature?: string;
  readonly publicKeyPem?: string;
}
interface ReceiptVector extends Signed {
  readonly receiptType: FdmsReceiptType;
  readonly currency: string;
  readonly globalNo: number;
  readonly date: string;
  readonly total: string;
  readonly taxes: readonly {
    readonly taxId: number;
    readonly taxCode: string | null;
    readonly taxPercent: string | null;
    readonly taxAmount: string;
    readonly salesAmountWithTax: string;
  }[];
  readonly previousHash: string | null;
}
interface DayVector extends Signed {
  readonly fiscalDayNo: number;
  readonly fiscalDayDate: string;
  readonly counters: readonly {
    readonly type: FdmsCounterType;
    readonly currency: string;
    readonly taxId?: number;
    readonly taxPercent?: string | null;
    readonly moneyType?: FdmsMoneyType;
    readonly value: string;
  }[];
}
interface QrVector {
  readonly name: string;
  readonly qrUrl: string;
  readonly deviceId: number;
  readonly date: string;
  readonly globalNo: number;
  readonly signature: string;
  readonly content: string;
}

const percent = (text: string | null | undefined) => (typeof text === 'string' ? decimal(text) : undefined);

function expectSigned(vector: Signed, text: string): void {
  expect(text).toBe(vector.canonical);
  expect(hashOf(text)).toBe(vector.hash);
  if (vector.signature === undefined || vector.publicKeyPem === undefined) return;
  const { hash, signature } = vector;
  expect(isSignedWith(createPublicKey(vector.publicKeyPem), text, { hash, signature })).toBe(true);
}

describe('the published vectors hold for the authority too', () => {
  test.each(read('receipts.json') as ReceiptVector[])('receipt $name', (vector) => {
    const text = receiptString(
      vector.deviceId,
      {
        type: vector.receiptType,
        currency: vector.currency,
        globalNo: vector.globalNo,
        date: parseWall(vector.date) ?? 0,
        total: decimal(vector.total),
        taxes: vector.taxes.map((tax) => ({
          taxId: tax.taxId,
          code: tax.taxCode ?? undefined,
          percent: percent(tax.taxPercent),
          taxAmount: decimal(tax.taxAmount),
          salesAmount: decimal(tax.salesAmountWithTax),
        })),
      },
      vector.previousHash ?? undefined,
    );
    expectSigned(vector, text);
  });

  test.each(read('days.json') as DayVector[])('day $name', (vector) => {
    const text = dayString({
      deviceId: vector.deviceId,
      dayNo: vector.fiscalDayNo,
      openedAt: parseWall(`${vector.fiscalDayDate}T23:59:59`) ?? 0,
      counters: vector.counters.map((counter) => ({
        type: counter.type,
        currency: counter.currency,
        taxId: counter.taxId,
        percent: percent(counter.taxPercent),
        moneyType: counter.moneyType,
        value: decimal(counter.value),
      })),
    });
    expectSigned(vector, text);
  });

  test.each(read('qr.json') as QrVector[])('QR code $name', (vector) => {
    const path = qrPath(vector.deviceId, parseWall(vector.date) ?? 0, vector.globalNo, vector.signature);
    expect(`${vector.qrUrl.replace(/\/$/, '')}/${path}`.toUpperCase()).toBe(vector.content.toUpperCase());
  });
});

describe("the authority's own signatures are over the strings of the specification", () => {
  const signature =
    'YyXTSizBBrMjMk4VQL+sCNr+2AC6aQbDAn9JMV2rk3yJ6MDZwie0wqQW3oisNWrMkeZsuAyFSnFkU2A+pKm91sOHVdjeRBebjQgAQQIMTCVIcYrx+BizQ7Ib9iCdsVI+Jel2nThqQiQzfRef6EgtgsaIAN+PV55xSrHvPkIe+Bc=';

  test('on a receipt', () => {
    const text = receiptServerString(signature, 48377, '2019-09-19T15:43:12');
    expect(hashOf(text)).toBe('JQoIo/AgOsvm+PUQpvlQ/U7YMei3m/jbygNrBVfz6Sg=');
  });

  test('on a day, without the device when a person closed it', () => {
    const day = { deviceId: 321, dayNo: 84, openedAt: parseWall('2019-09-23T08:00:00') ?? 0, counters: [] };
    const start = '321842019-09-232019-09-23T22:21:14';
    expect(dayServerString(day, '2019-09-23T22:21:14', 'Auto', signature)).toBe(`${start}AUTO${signature}`);
    expect(dayServerString(day, '2019-09-23T22:21:14', 'Manual', signature)).toBe(`${start}MANUAL`);
  });
});
