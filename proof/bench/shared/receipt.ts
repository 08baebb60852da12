import type { Question } from './connection.ts';

/** A till: its device, and the token of the device's taxpayer. */
export interface Sender {
  readonly deviceId: number;
  readonly token: string;
}

let lastReference = 0;

export function newReference(): string {
  lastReference += 1;
  return `BENCH-${String(lastReference).padStart(9, '0')}`;
}

/** What every sealed receipt has, and nothing else. */
const SEALED = '"DeviceSignature":"';

/** A new receipt of the sender whose turn it is. */
export function questionOf(
  senders: readonly Sender[],
  turn: number,
  path = '/api/receipt/sign',
  mark = SEALED,
): Question {
  const sender = senders[turn % senders.length];
  if (sender === undefined) throw new Error('a receipt needs a sender');
  const reference = newReference();
  const isRight = (answer: string) => answer.includes(reference) && answer.includes(mark);
  return { path, token: sender.token, body: receiptBody(sender.deviceId, reference), isRight };
}

/** What a supermarket sends to a business customer: three lines, two tax rates, two payments, about 1.3 KB. */
function receiptBody(deviceId: number, reference: string): string {
  return `{"AuthorityDeviceId":${deviceId},"Reference":"${reference}","Date":"${now()}",${CONTENT}`;
}

const CONTENT = JSON.stringify({
  Type: 'FiscalInvoice',
  Currency: 'USD',
  ReceiptLinesTaxInclusive: true,
  TotalAmount: 18.45,
  ReceiptLines: [
    {
      Type: 'Sale',
      Name: 'Sunflower cooking oil, cold pressed, fortified with vitamin A, 2 litre bottle',
      HsCode: '15121910',
      UnitPrice: 4.35,
      Quantity: 3,
      LineTotal: 13.05,
      TaxPercent: 15.5,
    },
    {
      Type: 'Sale',
      Name: 'Washing powder for machine and hand, lemon scent, box of 1 kg',
      HsCode: '34025000',
      UnitPrice: 3.2,
      Quantity: 1,
      LineTotal: 3.2,
      TaxPercent: 15.5,
    },
    {
      Type: 'Sale',
      Name: 'White bread, sliced and wrapped, family loaf, 700 g',
      HsCode: '19059010',
      UnitPrice: 1.1,
      Quantity: 2,
      LineTotal: 2.2,
      TaxPercent: 0,
    },
  ],
  Payments: [
    { Type: 'Cash', Amount: 10 },
    { Type: 'Card', Amount: 8.45 },
  ],
  Taxes: [
    { TaxPercent: 15.5, SalesAmountWithTax: 16.25, TaxAmount: 2.18 },
    { TaxPercent: 0, SalesAmountWithTax: 2.2, TaxAmount: 0 },
  ],
  ReceiptPrintForm: 'Receipt48',
  BuyerTIN: '2000987654',
  BuyerVAT: '220987654',
  BuyerName: 'Highlands Catering and Conference Services (Pvt) Ltd',
  BuyerAddress: 'Unit 27 Highlands Park, Enterprise Road, Harare, Harare Metropolitan Province',
  BuyerPhone: '+263242000000',
  BuyerEmail: 'accounts@highlands-catering.example.com',
  Cashier: 'Tendai M.',
}).slice(1);

let nowText = '';
let nowSeconds = 0;

function now(): string {
  const seconds = Math.floor(Date.now() / 1000);
  if (seconds !== nowSeconds) {
    nowSeconds = seconds;
    nowText = new Date(seconds * 1000).toISOString().replace('.000', '');
  }
  return nowText;
}
