import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { creditNote, invoice } from '../../../test/support/receipts/receipts.ts';
import type { TestTaxpayer } from '../../../test/support/service.ts';
import { type AttackedService, attackedService } from './attacked-service.ts';
import type { Answer, Attempt } from './send.ts';

let attacked: AttackedService;
let mallory: TestTaxpayer;
let hers: number;
let theirs: number;
const NOWHERE = 2_000_000_000;

beforeAll(async () => {
  attacked = await attackedService();
  const { service, shop } = attacked;
  mallory = await service.addTaxpayer({ name: 'Curious shop' });
  theirs = await service.addDevice(shop.taxpayerId);
  hers = await service.addDevice(mallory.taxpayerId);
  for (const reference of ['INV-1', 'INV-2', 'INV-3']) {
    expect((await service.sign(shop.token, invoice(theirs, reference))).statusCode).toBe(200);
  }
});
afterAll(() => attacked.close());

interface Pair {
  readonly name: string;
  readonly another: () => Attempt;
  readonly unknown: () => Attempt;
}

const get = (path: string): Attempt => ({ path, token: mallory.token });
const sign = (receipt: object): Attempt => ({
  method: 'POST',
  path: '/api/receipt/sign',
  token: mallory.token,
  body: JSON.stringify(receipt),
});
const paired = (token: string, taxpayerId: string): Attempt => ({
  path: '/api/receipt',
  token: Buffer.from(`${token}:${taxpayerId}`).toString('base64'),
});
let count = 0;
const fresh = () => {
  count += 1;
  return `MINE-${count}`;
};
const UNKNOWN_TOKEN = `tsk_${'A'.repeat(43)}`;

/** Each time the same request twice: for what is another taxpayer's, and for what is nobody's. */
const PAIRS: readonly Pair[] = [
  { name: 'a receipt', another: () => get('/api/receipt/INV-1'), unknown: () => get('/api/receipt/INV-X') },
  {
    name: 'a printed receipt',
    another: () => get('/api/receipt/INV-1/print'),
    unknown: () => get('/api/receipt/INV-X/print'),
  },
  {
    name: 'a receipt in the list',
    another: () => get('/api/receipt?Reference=INV-1'),
    unknown: () => get('/api/receipt?Reference=INV-X'),
  },
  {
    name: 'a device in the list',
    another: () => get(`/api/receipt?AuthorityDeviceId=${theirs}`),
    unknown: () => get(`/api/receipt?AuthorityDeviceId=${NOWHERE}`),
  },
  { name: 'a device', another: () => get(`/api/device/${theirs}`), unknown: () => get(`/api/device/${NOWHERE}`) },
  {
    name: 'a fiscal day',
    another: () => get(`/api/device/${theirs}/day/1/report`),
    unknown: () => get(`/api/device/${NOWHERE}/day/1/report`),
  },
  { name: 'an event', another: () => get('/api/events?after=0'), unknown: () => get('/api/events?after=0&limit=7') },
  {
    name: 'a device to sign on',
    another: () => sign(invoice(theirs, fresh())),
    unknown: () => sign(invoice(NOWHERE, fresh())),
  },
  {
    name: 'an invoice to credit',
    another: () => sign(creditNote(hers, fresh(), 'INV-2')),
    unknown: () => sign(creditNote(hers, fresh(), 'INV-Y')),
  },
  {
    name: 'a token with the wrong taxpayer',
    another: () => paired(attacked.shop.token, mallory.taxpayerId),
    unknown: () => paired(UNKNOWN_TOKEN, mallory.taxpayerId),
  },
];

/** What an answer says, apart from its own id and moment and from what the sender put in. */
function essence(answer: Answer): unknown {
  const { date: _date, 'x-request-id': id = '', 'content-length': _length, ...headers } = answer.headers;
  const body = answer.body
    .replaceAll(id, 'ID')
    .replaceAll(String(theirs), 'DEVICE')
    .replaceAll(String(NOWHERE), 'DEVICE')
    .replaceAll(/INV-[12XY]/g, 'REFERENCE')
    .replaceAll(/MINE-\d+/g, 'MINE');
  return { status: answer.status, headers, body };
}

describe("another taxpayer's is answered exactly as nobody's", () => {
  test.each(PAIRS)('$name: status, headers and body', async ({ another, unknown }) => {
    const [one, two] = [await attacked.send(another()), await attacked.send(unknown())];
    expect(essence(one)).toEqual(essence(two));
    expect(one.body).not.toMatch(/Test shop|"Signature"/);
  });

  test("a reference that another taxpayer has used is free, and sealing on it tells nothing of the other's", async () => {
    const taken = await attacked.send(sign(invoice(hers, 'INV-3')));
    const free = await attacked.send(sign(invoice(hers, 'FREE-3')));
    expect([taken.status, free.status]).toEqual([200, 200]);
    expect(taken.headers['idempotent-replay']).toBeUndefined();
  });

  test("neither the list, the cursor nor the events of one taxpayer show another's", async () => {
    const { body } = await attacked.send({ path: '/api/receipt?Limit=2', token: attacked.shop.token });
    const { NextCursor } = JSON.parse(body) as { NextCursor: string };
    expect(NextCursor).not.toBeNull();
    for (const path of [`/api/receipt?Cursor=${NextCursor}`, '/api/receipt', '/api/events']) {
      expect((await attacked.send(get(path))).body, path).not.toContain('INV-1');
    }
  });
});
