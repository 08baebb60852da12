import { addTaxpayer } from '../../../src/fiscal/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction, type Transaction } from '../../../src/platform/database/database.ts';
import { singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import { answerOf } from '../../../test/support/ask.ts';
import type { Question } from '../shared/connection.ts';
import type { Stage } from '../shared/stage.ts';

/** Another user of the service, beside the tills that are measured. */
export interface Neighbour {
  readonly name: string;
  /** Once, before the measurement: makes tenants, tokens and documents. */
  prepare(stage: Stage, isShort: boolean): Promise<NeighbourLoad>;
}

export interface NeighbourLoad {
  readonly connections: number;
  readonly everyMs?: number;
  /** In turns, again and again. */
  readonly questions: readonly Question[];
}

const TAXPAYERS = 10_000;
const IN_ONE_COMMIT = 100;
const SECONDS = 30;

/** One taxpayer per poll, with no events: what ten thousand tills do at night. */
export const waitingPolls: Neighbour = {
  name: '10,000 polls waiting for events',
  prepare: async ({ pool, masterKey, signal }, isShort) => {
    const keys = singleMasterKey(masterKey);
    const connections = isShort ? 1000 : TAXPAYERS;
    const tokens: string[] = [];
    const makeOne = async (tx: Transaction) => {
      const taxpayerId = newId();
      await addTaxpayer(tx, keys, { taxpayerId, name: 'Bench', tin: '2000000001', vatNumber: '220000001' });
      return (await issueToken(tx, { taxpayerId, name: 'erp', scopes: ['read'] })).token;
    };
    while (tokens.length < connections) {
      signal.throwIfAborted();
      const made = inTransaction(pool, (tx) => Promise.all(Array.from({ length: IN_ONE_COMMIT }, () => makeOne(tx))));
      tokens.push(...(await made));
    }
    await pool.query('vacuum analyze taxpayers, tokens, event_counters');
    const questions = tokens.map((token) => ({ path: `/api/events?after=0&wait=${SECONDS}`, token }));
    return { connections, questions };
  },
};

const LINES = 1000;
const NAMES = ['Kettle, 2 litres', '有机绿茶 500克', 'شاي أخضر', 'हरी चाय', 'አረንጓዴ ሻይ', 'ชาเขียว', '녹차'];

/** Forty clients that print the same long invoice at once, and ask again after a second when they are told to wait. */
export const printing: Neighbour = {
  name: '40 clients printing 1,000 lines in seven scripts',
  prepare: async (stage) => {
    const [{ deviceId, token } = { deviceId: 0, token: '' }] = await stage.addDevices(1);
    await answerOf({ url: stage.url, token }, 'POST', '/api/receipt/sign', longReceipt(deviceId));
    const question = { path: '/api/receipt/LONG/print?format=pdf&form=InvoiceA4', token };
    return { connections: 40, everyMs: 1000, questions: [question] };
  },
};

function longReceipt(deviceId: number): object {
  return {
    AuthorityDeviceId: deviceId,
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
  };
}
