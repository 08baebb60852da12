import type { FastifyRequest } from 'fastify';
import { expect, test, vi } from 'vitest';
import { createTestBillpay } from '../../../test/support/billpay/billpay.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { until } from '../../../test/support/process.ts';
import { createAudited } from './audit.ts';
import { PASS } from './barrier.ts';

test('an answer that nothing was left to change waits for the standby, as the change did that may have been cut short', async () => {
  const database = await createTestDatabase();
  const audited = createAudited(database.pool, () => ({ actor: 'somebody' }));
  const statementsAfter = async (made: {
    readonly answer: string;
    readonly action?: string;
    readonly subject?: string;
  }) => {
    const texts: unknown[] = [];
    const answer = await audited({} as FastifyRequest, async (tx) => {
      const query = tx.query.bind(tx);
      vi.spyOn(tx, 'query').mockImplementation((statement: unknown, values?: unknown[]) => {
        texts.push(statement);
        return query(statement as string, values);
      });
      return { subject: 'vendor 1', ...made };
    });
    expect(answer).toBe('done');
    return texts;
  };
  expect(await statementsAfter({ answer: 'done' })).toEqual([PASS, 'commit']);
  expect(await statementsAfter({ answer: 'done', action: 'vendor.changed' })).toEqual([
    expect.stringContaining('insert into audit_log'),
    'commit',
  ]);
  await database.drop();
});

test('what was made for nobody to see, because its answer was 503, is what the same request gets, with another secret', async () => {
  const billpay = await createTestBillpay();
  const { pool, vendor } = billpay;
  const { taxpayerId } = await billpay.addTaxpayer();
  const token = { Name: 'Till 3', Scopes: ['read'] };
  const endpoint = { Address: 'http://127.0.0.1:9/hook', Header: { Name: 'X-Key', Value: 'open sesame' } };
  const requests = [
    () => billpay.admin('POST', '/tokens', { TaxpayerId: taxpayerId, ...token }),
    () => billpay.admin('POST', '/tokens', { Name: 'Nightly report' }),
    () => billpay.admin('POST', '/tokens', { VendorId: vendor.vendorId, ...token }),
    () => billpay.admin('POST', '/endpoints', endpoint),
    () => billpay.send('POST', '/api/endpoints', endpoint),
  ];
  const ids = async () => {
    const { rows } = await pool.query<{ id: string }>(
      'select token_id as id from tokens union all select endpoint_id from endpoints',
    );
    return rows.map(({ id }) => id);
  };
  const before = await ids();
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('lock table audit_log in share mode');
  const unanswered = await Promise.all(requests.map((request) => request()));
  expect(unanswered.map(({ statusCode }) => statusCode)).toEqual(requests.map(() => 503));
  await holder.query('rollback');
  holder.release();
  const noted = async () =>
    (await pool.query("select row_to_json(a)::text from audit_log a where action = 'request.unanswered'")).rows;
  await until(async () => (await noted()).length === requests.length, 'it is known of each that nobody has seen it');
  expect(JSON.stringify(await noted())).not.toContain('sesame');
  const made = (await ids()).filter((id) => !before.includes(id));
  expect(made).toHaveLength(requests.length);

  const again = await Promise.all(requests.map(async (request) => (await request()).json<Made>()));
  expect(new Set(again.map(({ TokenId, EndpointId }) => TokenId ?? EndpointId))).toEqual(new Set(made));
  const [, operator] = again;
  const overview = { url: '/api/admin/overview', headers: { authorization: `Bearer ${operator?.Token}` } };
  expect((await billpay.app.inject(overview)).statusCode).toBe(200);
  // Once: whoever asks for the same after that wants another one.
  const others = await Promise.all(requests.map(async (request) => (await request()).json<Made>()));
  for (const { TokenId, EndpointId } of others) expect(made).not.toContain(TokenId ?? EndpointId);
  expect(await ids()).toHaveLength(before.length + 2 * requests.length);
  await billpay.close();
});

interface Made {
  readonly TokenId?: string;
  readonly EndpointId?: string;
  readonly Token?: string;
}
