import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';
import { pdfLines } from '../support/printing/pdf-text.ts';
import { creditNote } from '../support/receipts/receipts.ts';

/** The reports of a day that a real keeper opened and closed at the authority, against what the authority holds of it. */
const bench = await benchOfFile();

const zeroRated = {
  TotalAmount: 1234.5,
  ReceiptLines: [
    {
      Type: 'Sale',
      Name: 'Bread',
      HsCode: '19059010',
      UnitPrice: 1234.5,
      Quantity: 1,
      LineTotal: 1234.5,
      TaxPercent: 0,
    },
  ],
  Taxes: [{ TaxPercent: 0, SalesAmountWithTax: 1234.5, TaxAmount: 0 }],
  Payments: [{ Type: 'Card', Amount: 1234.5 }],
};

async function reportOf(deviceId: number): Promise<{ text: string[]; pdf: string[] }> {
  const path = `/api/device/${deviceId}/day/1/report`;
  const [text, pdf] = [await bench.get(`${path}?format=text`), await bench.get(`${path}?format=pdf`)];
  expect([text.statusCode, pdf.statusCode]).toEqual([200, 200]);
  const oneSpace = (lines: string[]) => lines.map((line) => line.trim().replaceAll(/ +/g, ' ')).filter(Boolean);
  return { text: oneSpace(text.body.split('\n')), pdf: oneSpace(pdfLines(pdf.rawPayload)) };
}

/** Rules are lines in a PDF, and text on paper. */
const withoutRules = (lines: readonly string[]) => lines.filter((line) => !/^-+$/.test(line));

/** An amount as the reports write it. */
function money(value: number): string {
  return value.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',');
}

test('X and Z report, as text and as PDF, say what the authority counted', async () => {
  const deviceId = await bench.addDevice();
  for (const count of [1, 2, 3]) await bench.sell(deviceId, `report-${count}`);
  await bench.sell(deviceId, 'report-zero', zeroRated);
  await bench.sign(creditNote(deviceId, 'report-note', 'report-2', { Date: bench.now.toISOString() }));

  const open = await reportOf(deviceId);
  expect(open.text).toContain('X REPORT');
  expect(open.text.join('\n')).not.toContain('closed');
  expect(open.pdf).toEqual(withoutRules(open.text));

  await bench.closeDay(deviceId);
  const closed = await reportOf(deviceId);
  const { counters, fiscalDayClosed } = await bench.books.day(deviceId, 1);
  expect(fiscalDayClosed).not.toBeNull();
  const counted = (types: string[], matches: (counter: NonNullable<typeof counters>[number]) => boolean = () => true) =>
    (counters ?? [])
      .filter((counter) => types.includes(counter.fiscalCounterType) && matches(counter))
      .reduce((sum, counter) => sum + Math.round(Number(counter.fiscalCounterValue) * 100), 0) / 100;
  const gross = counted(['SaleByTax', 'CreditNoteByTax', 'DebitNoteByTax']);
  const tax = counted(['SaleTaxByTax', 'CreditNoteTaxByTax', 'DebitNoteTaxByTax']);
  const paid = (type: string) => counted(['BalanceByMoneyType'], (counter) => counter.fiscalCounterMoneyType === type);

  expect(gross).toBeCloseTo(1465.5);
  expect(closed.text).toEqual(
    expect.arrayContaining([
      'Z REPORT',
      'Fiscal day No: 1',
      'Closing: accepted by the authority',
      'First receipt: 1/1 report-1',
      'Last receipt: 5/5 report-note',
      `Device ID: ${deviceId}`,
      `Total net amount ${money(gross - tax)}`,
      `Total tax amount ${money(tax)}`,
      `Total gross amount ${money(gross)}`,
      `Invoices 4 ${money(counted(['SaleByTax']))}`,
      `Credit notes 1 ${money(counted(['CreditNoteByTax']))}`,
      `Total documents 5 ${money(gross)}`,
      `Cash ${money(paid('Cash'))}`,
      `Card ${money(paid('Card'))}`,
    ]),
  );
  const [year, month, day, hour, minute] = (fiscalDayClosed ?? '').split(/\D/);
  expect(closed.text).toContain(`Fiscal day closed: ${day}/${month}/${year} ${hour}:${minute}`);
  expect(closed.pdf).toEqual(withoutRules(closed.text));

  // What was sold until the day closed is what the X report said; only title and closing differ.
  const figures = (lines: readonly string[]) =>
    lines.filter((line) => !/ REPORT$|^Fiscal day closed|^Closing:/.test(line));
  expect(figures(closed.text)).toEqual(figures(open.text));
});
