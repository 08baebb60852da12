import { expect, test } from 'vitest';
import { serviceOfFile } from '../../../test/support/service.ts';
import { OrderedConnection } from './ordered-connection.ts';

const service = await serviceOfFile();

const pidOf = async (line: OrderedConnection) => (await line.query('select pg_backend_pid() as pid')).rows[0]?.['pid'];

test('statements sent without waiting run in order, each on its own: one that fails takes no other with it', async () => {
  const line = new OrderedConnection(service.pool);
  await service.pool.query('create table ordered (place serial, name text unique)');
  const sent = ['a', 'b', 'a', 'c'].map((name) => line.query('insert into ordered (name) values ($1)', [name]));
  expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  const { rows } = await service.pool.query('select name from ordered order by place');
  expect(rows.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  line.close();
});

test('a connection that was lost at rest or at work is replaced, and given back at the end', async () => {
  const line = new OrderedConnection(service.pool);
  const before = service.pool.totalCount - service.pool.idleCount;
  const first = await pidOf(line);
  await service.pool.query('select pg_terminate_backend($1)', [first]);
  await expect.poll(() => service.pool.totalCount - service.pool.idleCount).toBe(before);
  const second = await pidOf(line);
  const atWork = line.query('select pg_sleep(5)');
  await Promise.all([
    expect(atWork).rejects.toThrow(),
    service.pool.query('select pg_terminate_backend($1)', [second]),
  ]);
  expect(await pidOf(line)).not.toBe(second);
  line.close();
  await expect.poll(() => service.pool.totalCount - service.pool.idleCount).toBe(before);
});

test('a connection that is lost under load is replaced once, not again and again', async () => {
  const line = new OrderedConnection(service.pool);
  const pids: unknown[] = [];
  let left = Number.POSITIVE_INFINITY;
  // Two statements are always under way, as when batches are written ahead, until 300 have run after the loss.
  const work = async () => {
    while (left-- > 0) pids.push(await pidOf(line).catch(() => undefined));
  };
  const working = Promise.all([work(), work()]);
  await expect.poll(() => pids.length).toBeGreaterThan(50);
  await service.pool.query('select pg_terminate_backend($1)', [pids[0]]);
  await expect.poll(() => pids.at(-1)).not.toBe(pids[0]);
  left = 300;
  await working;
  const distinct = new Set(pids.filter((pid) => pid !== undefined));
  expect([distinct.size, pids.at(-1) === pids[0]]).toEqual([2, false]);
  line.close();
});
