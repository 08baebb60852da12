import type { FastifyRequest } from 'fastify';
import { expect, test, vi } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { createAudited } from './audit.ts';
import { PASS } from './barrier.ts';

test('an answer that nothing was left to change waits for the standby, as the change did that may have been cut short', async () => {
  const database = await createTestDatabase();
  const audited = createAudited(database.pool, () => 'somebody');
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
