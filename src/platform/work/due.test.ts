import { afterEach, expect, test } from 'vitest';
import { until } from '../../../test/support/authority/gateway.ts';
import { DueWork } from './due.ts';

const NEVER_MS = 3_600_000;

/** Work that is due in memory; each item runs until the test lets it end. */
class Bench {
  readonly due: string[] = [];
  readonly started: string[] = [];
  readonly errors: string[] = [];
  looks = 0;
  brokenLooks = 0;
  readonly #ends = new Map<string, (error?: Error) => void>();
  readonly work: DueWork<string>;

  constructor(options: { readonly concurrency?: number; readonly pollMs?: number } = {}) {
    const note = (_fields: object, message: string) => {
      this.errors.push(message);
    };
    this.work = new DueWork<string>({
      claim: (most) => {
        this.looks += 1;
        if (this.brokenLooks > 0) {
          this.brokenLooks -= 1;
          return Promise.reject(new Error('no database'));
        }
        return Promise.resolve(this.due.splice(0, most));
      },
      run: (item) => {
        this.started.push(item);
        return new Promise((resolve, reject) => {
          this.#ends.set(item, (error) => (error === undefined ? resolve() : reject(error)));
        });
      },
      concurrency: options.concurrency ?? 2,
      pollMs: options.pollMs ?? NEVER_MS,
      log: { info: note, warn: note, error: note },
    });
    benches.push(this);
  }

  end(item: string, error?: Error): void {
    this.#ends.get(item)?.(error);
  }

  endAll(): void {
    for (const end of this.#ends.values()) end();
  }
}

const benches: Bench[] = [];
afterEach(async () => {
  for (const bench of benches.splice(0)) {
    const stopped = bench.work.stop();
    bench.endAll();
    await stopped;
  }
});

test('takes what is due at the start, and no more at once than it may', async () => {
  const bench = new Bench();
  bench.due.push('a', 'b', 'c');
  bench.work.start();
  await until(() => bench.started.length === 2);
  expect(bench.work.activeCount).toBe(2);
  expect(bench.due).toEqual(['c']);
});

test('a place that becomes free is filled at once, without waiting for the next look', async () => {
  const bench = new Bench();
  bench.due.push('a', 'b', 'c');
  bench.work.start();
  await until(() => bench.started.length === 2);
  bench.end('a');
  await until(() => bench.started.length === 3);
  expect(bench.started).toEqual(['a', 'b', 'c']);
});

test('one slow item holds up no other', async () => {
  const bench = new Bench();
  bench.due.push('slow', 'b');
  bench.work.start();
  await until(() => bench.started.length === 2);
  for (const [ended, next] of [
    ['b', 'c'],
    ['c', 'd'],
  ] as const) {
    bench.due.push(next);
    bench.end(ended);
    await until(() => bench.started.includes(next));
  }
  expect(bench.work.activeCount).toBe(2);
});

test('a poke makes it look now, also when it comes in the middle of a look', async () => {
  const bench = new Bench();
  bench.work.start();
  bench.due.push('during');
  bench.work.poke();
  await until(() => bench.started.includes('during'));
  bench.due.push('later');
  bench.work.poke();
  await until(() => bench.started.includes('later'));
});

test('looks without being asked from time to time', async () => {
  const bench = new Bench({ pollMs: 5 });
  bench.work.start();
  await until(() => bench.looks > 3);
  bench.due.push('found');
  await until(() => bench.started.includes('found'));
});

test('an item that fails and a look that fails are logged, and the work goes on', async () => {
  const bench = new Bench({ pollMs: 5 });
  bench.brokenLooks = 2;
  bench.due.push('bad');
  bench.work.start();
  await until(() => bench.started.includes('bad'));
  bench.end('bad', new Error('a bug'));
  bench.due.push('good');
  await until(() => bench.started.includes('good'));
  expect(new Set(bench.errors)).toEqual(new Set(['could not look for due work', 'due work failed']));
});

test('stopping takes nothing new and waits for what is under way', async () => {
  const bench = new Bench({ pollMs: 5 });
  bench.due.push('a');
  bench.work.start();
  await until(() => bench.started.includes('a'));
  let isStopped = false;
  const stopping = bench.work.stop().finally(() => {
    isStopped = true;
  });
  bench.due.push('b');
  bench.work.poke();
  expect(isStopped).toBe(false);
  bench.end('a');
  await stopping;
  expect(bench.started).toEqual(['a']);
  expect(bench.work.activeCount).toBe(0);
});
