import { afterAll, beforeAll, expect, test } from 'vitest';
import { Outbox } from '../../clients/typescript/src/outbox/outbox.ts';
import { Machine } from '../support/process.ts';
import { proveChain } from '../support/receipts/chain.ts';
import { invoice } from '../support/receipts/receipts.ts';
import { createTestService, type TestService } from '../support/service.ts';

const TILLS = 8;
const SALES = 125;

const machine = new Machine();
let service: TestService;
let folder: string;
let url: string;

beforeAll(async () => {
  folder = await machine.folder();
  service = await createTestService();
  url = await service.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await service.close();
  await machine.end();
});

test('1,000 sales at once of eight tills on one device are all sealed, none is set aside, and another till can sell meanwhile', async () => {
  const { token, taxpayerId } = await service.addTaxpayer();
  const deviceId = await service.addDevice(taxpayerId);
  /** Opened anew each time: what it was told to wait for has passed on the clock of the service. */
  const withOutbox = async <Result>(till: number, work: (outbox: Outbox) => Promise<Result>): Promise<Result> => {
    const outbox = await Outbox.open({ url, token }, `${folder}/${till}.outbox`, {
      deadlineSeconds: 30,
      report: () => {},
    });
    try {
      return await work(outbox);
    } finally {
      await outbox.stop();
    }
  };
  const tills = Array.from({ length: TILLS }, (_, till) => till);
  const outcomes = await Promise.all(
    tills.map((till) =>
      withOutbox(till, async (outbox) => {
        const sold: string[] = [];
        for (let sale = 0; sale < SALES; sale += 1) {
          sold.push((await outbox.sell(invoice(deviceId, `${till}-${sale}`) as never)).outcome);
        }
        return sold;
      }),
    ),
  );
  expect(new Set(outcomes.flat())).toEqual(new Set(['Signed', 'Queued']));
  const counts = { sealed: 0, setAside: 0, rounds: 0 };
  for (; counts.sealed < TILLS * SALES && counts.rounds < 60; counts.rounds += 1) {
    service.now = new Date(service.now.getTime() + 160_000);
    const drained = await Promise.all(
      tills.map((till) => withOutbox(till, (outbox) => outbox.drain({ withinSeconds: 1.5 }))),
    );
    counts.setAside += drained.reduce((sum, { status }) => sum + status.setAside.length, 0);
    const fresh = await service.sign(token, { ...invoice(deviceId, `fresh-${counts.rounds}`), Date: service.now });
    expect(fresh.statusCode).toBe(200);
    const { rows } = await service.pool.query(
      `select count(*)::integer as sealed from receipts where reference not like 'fresh%'`,
    );
    counts.sealed = rows[0].sealed;
  }
  expect(counts).toMatchObject({ sealed: TILLS * SALES, setAside: 0 });
  expect(await proveChain(service.pool, deviceId)).toMatchObject({ holds: true });
});
