import { describe, expect, test } from 'vitest';
import { device, deviceTax, taxTable, wall } from '../../../../test/support/devices.ts';
import { invoice, receiptOf } from '../../../../test/support/receipts/receipts.ts';
import { checkDeviceTaxes, wrongPercents } from './device-rules.ts';
import { gather } from './report.ts';

function sold(percent: number | null) {
  const wire = invoice(1001, 'R-1', {
    ReceiptLines: [
      { Type: 'Sale', Name: 'Thing', HsCode: '12345678', Quantity: 1, LineTotal: 10, TaxPercent: percent },
    ],
    Taxes: [{ TaxPercent: percent, SalesAmountWithTax: 10, TaxAmount: 0 }],
  });
  return receiptOf(wire);
}

function check(percent: number | null, date: string, { isVatRegistered = true, on = device() } = {}) {
  return gather((report) => checkDeviceTaxes(sold(percent), on, isVatRegistered, wall(date), report));
}

describe('a percentage of lines and of Taxes is one the device has on the signed date (RCPT025)', () => {
  test.each([
    [15.5, '2026-01-01T00:00:00', true],
    [15.5, '2025-12-31T23:59:59', false],
    [15, '2025-12-31T23:59:59', true],
    [15, '2026-01-01T00:00:00', false],
    [15, '2020-01-01T00:00:00', true],
    [15, '2019-12-31T23:59:59', false],
    [0, '2026-11-15T12:00:00', true],
    [null, '2026-11-15T12:00:00', true],
    [14.5, '2026-11-15T12:00:00', false],
  ])('%s on %s: %s', (percent, date, isValid) => {
    expect(check(percent, date).map(({ Field, Code }) => `${Field} ${Code}`)).toEqual(
      isValid ? [] : ['ReceiptLines[0].TaxPercent RCPT025', 'Taxes[0].TaxPercent RCPT025'],
    );
    expect(wrongPercents(sold(percent), device(), wall(date)).size).toBe(isValid ? 0 : 1);
  });

  test('the message lists the valid ones of that day', () => {
    expect(check(15, '2026-11-15T12:00:00')[0]?.Message).toBe(
      '15% is not a tax of device 1001 on 2026-11-15: use null (exempt), 0%, 15.5%',
    );
    expect(check(15, '2019-06-01T00:00:00')[0]?.Message).toMatch(/it has none on that day$/);
  });

  test('the message says which percentage a fraction may mean, if the device has it', () => {
    const said = (percent: number) => check(percent, '2026-11-15T12:00:00')[0]?.Message;
    expect(said(0.155)).toContain('on 2026-11-15: it is a percentage, send 15.5: use');
    expect(said(0.14)).toContain('on 2026-11-15: use');
  });

  test('exempt is not 0 %', () => {
    const onlyZero = device({ taxTables: [taxTable('2020-01-01T00:00:00', [deviceTax(2, '0', '2020-01-01')])] });
    const onlyExempt = device({ taxTables: [taxTable('2020-01-01T00:00:00', [deviceTax(1, null, '2020-01-01')])] });
    expect(check(null, '2026-11-15T12:00:00', { on: onlyZero })).toHaveLength(2);
    expect(check(0, '2026-11-15T12:00:00', { on: onlyExempt })).toHaveLength(2);
    expect(check(0, '2026-11-15T12:00:00', { on: onlyZero })).toEqual([]);
  });
});

describe('a taxpayer without VAT registration (RCPT021)', () => {
  test('uses no tax above 0, on lines and in Taxes', () => {
    expect(check(15.5, '2026-11-15T12:00:00', { isVatRegistered: false })).toEqual(
      ['ReceiptLines[0].TaxPercent', 'Taxes[0].TaxPercent'].map((Field) => ({
        Field,
        Code: 'RCPT021',
        Message: '15.5%: a taxpayer without VAT registration uses no tax above 0%',
      })),
    );
  });

  test.each([0, null])('may use %s', (percent) => {
    expect(check(percent, '2026-11-15T12:00:00', { isVatRegistered: false })).toEqual([]);
  });
});
