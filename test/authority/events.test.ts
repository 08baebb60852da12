import { expect, test } from 'vitest';
import { benchOfFile } from '../support/authority/authority.ts';

interface Page {
  readonly Events: readonly { readonly Number: number; readonly Type: string; readonly Data: { Reference?: string } }[];
  readonly LastNumber: number;
}

const bench = await benchOfFile();
await bench.addInstance();

async function page(after: number, wait: number, options = {}): Promise<Page> {
  return (await bench.get(`/api/events?after=${after}&wait=${wait}&limit=50`, options)).json<Page>();
}

test('a reader that follows the events sees every one once and in order, while two instances seal in parallel', async () => {
  const devices = await bench.addDevices(3, { registration: { AdvanceLimitSeconds: 86_400 } });
  const other = await bench.addShop('2000000002');
  const foreign = await bench.addDevice({ shop: other });
  const references = Array.from({ length: 90 }, (_, index) => `event-${index}`);
  const sealing = Promise.all(
    references.map((reference, index) => bench.sell(devices[index % 3] ?? 0, reference, {}, { instance: index % 2 })),
  );
  await bench.sell(foreign, 'event-foreign', {}, { token: other.token });

  const seen: Page['Events'][number][] = [];
  const count = (type: string) => seen.filter((event) => event.Type === type).length;
  await bench.until(async () => {
    const next = await page(seen.length, 1, { instance: seen.length % 2 });
    seen.push(...next.Events);
    return count('receipt.signed') === 90 && count('receipt.submitted') === 90;
  }, 'all events are read');
  await sealing;
  expect(seen.map((event) => event.Number)).toEqual(seen.map((_, index) => index + 1));
  expect(count('day.opened')).toBe(3);
  for (const type of ['receipt.signed', 'receipt.submitted']) {
    const told = seen.filter((event) => event.Type === type).map((event) => event.Data.Reference);
    expect(told).toHaveLength(references.length);
    expect(new Set(told)).toEqual(new Set(references));
  }
  // What is signed is told before that it was submitted.
  const at = (type: string, reference: string) =>
    seen.findIndex((event) => event.Type === type && event.Data.Reference === reference);
  for (const reference of references) {
    expect(at('receipt.signed', reference)).toBeLessThan(at('receipt.submitted', reference));
  }
  const theirs = await page(0, 0, { token: other.token });
  expect(theirs.Events.map((event) => event.Number)).toEqual([1, 2, 3]);
});

test('a long poll answers as soon as there is something, and empty when its time is up', async () => {
  const deviceId = await bench.addDevice();
  const { rows } = await bench.pool.query<{ last: string }>(
    'select last_number::text as last from event_counters where tenant_id = $1',
    [bench.shop.taxpayerId],
  );
  const last = Number(rows[0]?.last);
  expect(await page(last, 1)).toEqual({ Events: [], LastNumber: last });
  const startedAt = performance.now();
  const waiting = page(last, 20);
  await bench.sell(deviceId, 'poll-1');
  expect((await waiting).Events[0]).toMatchObject({ Number: last + 1, Type: 'receipt.signed' });
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});
