import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createLogger } from './logger.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function memoryLog() {
  const lines: string[] = [];
  return { log: createLogger('trace', { write: (line: string) => lines.push(line) }), written: () => lines.join('') };
}

test('loggers of one process share its output: however many there are, one listener waits for the end', () => {
  createLogger('silent');
  const listeners = process.listenerCount('exit');
  for (let count = 0; count < 20; count += 1) createLogger('silent');
  expect(process.listenerCount('exit')).toBe(listeners);
});

const SECRETS = {
  token: 'tsk_secret-token',
  cashierToken: 'tsk_secret-cashier',
  password: 'secret-password',
  masterKey: 'secret-master-key',
  privateKey: 'secret-private-key',
  authorization: 'Bearer secret-header',
};
const BUYER = {
  BuyerTIN: 'secret-tin',
  BuyerVAT: 'secret-vat',
  BuyerName: 'secret-name',
  BuyerAddress: 'secret-address',
  BuyerPhone: 'secret-phone',
  BuyerEmail: 'secret-email',
};

test.each([
  ['on top', { ...SECRETS, ...BUYER }],
  ['inside a request', { request: { headers: SECRETS, body: JSON.stringify(BUYER) } }],
  ['inside a receipt', { receipt: BUYER, caller: SECRETS }],
  ['inside a list', { receipts: [BUYER], callers: [SECRETS] }],
])('no token, key or buyer is written when somebody logs them %s', (_name, fields) => {
  const { log, written } = memoryLog();
  log.error(fields, 'for a test');
  expect(written()).toContain('[redacted]');
  expect(written()).not.toContain('secret-');
});

async function errorWithRow(): Promise<unknown> {
  try {
    await database.pool.query(
      "insert into taxpayers (taxpayer_id, name, tin) values (gen_random_uuid(), 'secret-name', 'secret-tin')",
    );
  } catch (error) {
    return error;
  }
  throw new Error('the row was taken');
}

test('an error of PostgreSQL is written without the row in its detail, and with what is needed to find it', async () => {
  const error = await errorWithRow();
  expect(JSON.stringify(error)).toContain('secret-name');
  const { log, written } = memoryLog();
  log.error({ err: error }, 'a request failed');
  log.error(error, 'a request failed');
  expect(written()).not.toContain('secret-');
  expect(written()).toContain('"code":"23514"');
  expect(written()).toContain('"constraint":"taxpayers_tin_check"');
});

test.each(['error', 'reason', 'cause'])(
  'an error of PostgreSQL under the name %s does not show its row either',
  async (name) => {
    const { log, written } = memoryLog();
    log.warn({ [name]: await errorWithRow() }, 'for a test');
    expect(written()).not.toContain('secret-');
  },
);

test('an error with such an error as its cause shows the message of the cause alone', async () => {
  const { log, written } = memoryLog();
  log.error({ err: new Error('could not save', { cause: await errorWithRow() }) }, 'for a test');
  expect(written()).toContain('could not save');
  expect(written()).not.toContain('secret-');
});
