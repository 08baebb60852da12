import { expect, test } from 'vitest';
import { until } from '../../../test/support/process.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { createTestService } from '../../../test/support/service.ts';

test('tills that ask together for a closed day look once when it opens, and all are told', async () => {
  const service = await createTestService();
  const { taxpayerId, token } = await service.addTaxpayer();
  const closed = await service.addDevice(taxpayerId, { isOpen: false });
  const open = await service.addDevice(taxpayerId);
  await service.pool.query(
    `insert into device_lanes (taxpayer_id, device_id, reopen_after) values ($1, $2, '2026-11-16T02:00:00Z')`,
    [taxpayerId, closed],
  );
  // Both devices are known: what stops one is an alert, so an unknown one would wait for the table, too.
  for (const device of [closed, open]) await service.sign(token, invoice(device, `S-first-${device}`));
  const holder = await service.pool.connect();
  await holder.query('begin; lock table alerts in access exclusive mode');
  const looks = async () => {
    const { rows } = await service.pool.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%l.reopen_after as %'`,
    );
    return rows[0]?.count;
  };
  const asking = Array.from({ length: 8 }, (_, index) => service.sign(token, invoice(closed, `S-${index}`)));
  await until(async () => (await looks()) === 1, 'the first look waits');
  // Sealed after all of them were refused.
  expect((await service.sign(token, invoice(open, 'S-open'))).statusCode).toBe(200);
  expect(await looks()).toBe(1);
  await holder.query('commit');
  holder.release();
  for (const answer of await Promise.all(asking)) {
    expect(answer.json()).toMatchObject({ Code: 'FiscalDayNotOpen', OpensAt: '2026-11-16T04:00:00+02:00' });
  }
  await service.close();
});
