import { makeFleet } from '../shared/make-fleet.ts';
import { type Neighbour, requestText } from './neighbour.ts';

const DEVICE = 900_001;
const LINES = 1000;
const NAMES = ['Kettle, 2 litres', '有机绿茶 500克', 'شاي أخضر', 'हरी चाय', 'አረንጓዴ ሻይ', 'ชาเขียว', '녹차'];

/** Forty clients that print the same long invoice at once, and ask again after a second when they are told to wait. */
export const printing: Neighbour = {
  name: '40 clients printing 1,000 lines in seven scripts',
  expects: 200,
  prepare: async (service, signal) => {
    const [till] = await makeFleet(service.pool, service.masterKey, DEVICE, 1, signal);
    const headers = { authorization: `Bearer ${till?.token}`, 'content-type': 'application/json' };
    const signed = await fetch(`${service.url}/api/receipt/sign`, { method: 'POST', headers, body: longReceipt() });
    if (!signed.ok) throw new Error(`the long invoice: ${await signed.text()}`);
    const { authorization } = headers;
    const request = requestText('GET', '/api/receipt/LONG/print?format=pdf&form=InvoiceA4', { authorization });
    return { connections: 40, everyMs: 1000, requests: [request] };
  },
};

function longReceipt(): string {
  return JSON.stringify({
    AuthorityDeviceId: DEVICE,
    Reference: 'LONG',
    Date: new Date().toISOString().replace(/\.\d+/, ''),
    Type: 'FiscalInvoice',
    Currency: 'USD',
    ReceiptLinesTaxInclusive: true,
    TotalAmount: LINES,
    ReceiptLines: Array.from({ length: LINES }, (_, index) => ({
      Type: 'Sale',
      Name: `${NAMES[index % NAMES.length]} ${index}`,
      HsCode: '85161000',
      UnitPrice: 1,
      Quantity: 1,
      LineTotal: 1,
      TaxPercent: 0,
    })),
    Payments: [{ Type: 'Cash', Amount: LINES }],
    Taxes: [{ TaxPercent: 0, SalesAmountWithTax: LINES, TaxAmount: 0 }],
    Cashier: 'Tendai M.',
  });
}
