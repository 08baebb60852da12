import { expect, test } from 'vitest';
import { until } from '../../../test/support/authority/gateway.ts';
import { DeliveryWork } from './delivery-work.ts';

/** Everything that was looked for: one receiver, several, or all. */
function bench(dueAtFirst: readonly string[] = []) {
  const looks: (readonly string[] | 'all')[] = [];
  const due = new Set(dueAtFirst);
  const delivered: string[] = [];
  let onLook = () => {};
  const work = new DeliveryWork<string>({
    claim: async (most, receivers) => {
      looks.push(receivers ?? 'all');
      onLook();
      const claimed = [...due].filter((one) => receivers?.includes(one) ?? true).slice(0, most);
      for (const one of claimed) due.delete(one);
      return claimed;
    },
    run: async (receiver) => void delivered.push(receiver),
    receiverOf: (receiver) => receiver,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  return { looks, due, delivered, work, setOnLook: (next: () => void) => (onLook = next) };
}

test('for a receiver that is known to have something due, nothing else is looked through', async () => {
  const { looks, due, delivered, work } = bench();
  work.start();
  await until(() => looks.length === 1);
  due.add('a').add('b').add('c');
  work.poke('a');
  work.poke('b');
  await until(() => delivered.length === 2);
  expect(looks).toEqual(['all', ['a', 'b']]);
  // Of the third nobody has heard: it is found by the next look at all of them.
  await until(() => delivered.length === 3);
  expect([delivered, looks.at(-1)]).toEqual([['a', 'b', 'c'], 'all']);
  await work.stop();
});

test('a poke while all are looked through brings another such look', async () => {
  const { looks, due, delivered, work, setOnLook } = bench();
  setOnLook(() => {
    setOnLook(() => {});
    setImmediate(() => {
      due.add('late');
      work.poke();
    });
  });
  work.start();
  await until(() => delivered.length === 1);
  expect(looks).toEqual(['all', 'all']);
  await work.stop();
});

test('more than fit into one look follow at once', async () => {
  const many = Array.from({ length: 120 }, (_none, place) => `receiver ${place}`);
  const first = bench(many);
  first.work.start();
  await until(() => first.delivered.length === 120);
  expect(first.looks).toEqual(['all', 'all', 'all']);
  for (const receiver of many) first.due.add(receiver);
  for (const receiver of many) first.work.poke(receiver);
  await until(() => first.delivered.length === 240);
  expect(first.looks.slice(3).map(({ length }) => length)).toEqual([50, 50, 20]);
  await first.work.stop();
});
