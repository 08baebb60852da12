import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/console/practice.ts';
import { insertMandate, removeMandate } from '../../fiscal/index.ts';
import { newId } from '../../kernel/ids.ts';
import { type Refusal, Refused, refused } from '../../kernel/refusal.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { findTenantName } from '../people/membership-store.ts';
import type { SessionContext } from '../people/session-routes.ts';
import { onboardTaxpayers } from './onboard-taxpayers.ts';
import { insertPractice, listPractices, type PracticeRecord } from './practice-store.ts';

const NOT_BOTH: Refusal = { code: 'NotFound', detail: 'There is no such practice or no such taxpayer.' };

/** Accountants and resellers, and the taxpayers they look after. */
export function practiceRoutes(app: FastifyInstance, context: SessionContext): void {
  const { pool, clock, guard, audited } = context;
  route(app, guard, contract.listPractices, async ({ query }) => {
    const practices = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) =>
      listPractices(pool, { taxpayerId: query.TaxpayerId, before: query.Cursor }, limit),
    );
    return {
      Practices: practices.rows.map(presentPractice),
      NextCursor: nextCursor(practices, (last) => last.practiceId),
    };
  });

  route(app, guard, contract.addPractice, ({ request, body }) =>
    audited(request, async (tx) => {
      const practice = { practiceId: newId(), name: body.Name, createdAt: clock() };
      await insertPractice(tx, practice);
      const after = presentPractice(practice);
      return { action: 'practice.added', subject: `practice ${practice.practiceId}`, after, answer: after };
    }),
  );

  route(app, guard, contract.giveMandate, ({ request, params: { practiceId, taxpayerId } }) =>
    audited(request, async (tx) => {
      const names = [
        await findTenantName(tx, { kind: 'practice', id: practiceId }),
        await findTenantName(tx, { kind: 'taxpayer', id: taxpayerId }),
      ];
      if (names.includes(undefined)) return refused(NOT_BOTH);
      const answer = { PracticeId: practiceId, TaxpayerId: taxpayerId, LooksAfter: true };
      if (!(await insertMandate(tx, practiceId, taxpayerId))) return { answer };
      return { action: 'mandate.given', taxpayerId, subject: `practice ${practiceId}`, after: answer, answer };
    }),
  );

  route(app, guard, contract.onboardTaxpayers, async ({ request, params, body }) => {
    const rows = await onboardTaxpayers(context, request, params.practiceId, body.List);
    return rows instanceof Refused ? rows : { Rows: rows };
  });

  route(app, guard, contract.endMandate, ({ request, params: { practiceId, taxpayerId } }) =>
    audited(request, async (tx) => {
      if (!(await removeMandate(tx, practiceId, taxpayerId))) return refused(NOT_BOTH);
      const answer = { PracticeId: practiceId, TaxpayerId: taxpayerId, LooksAfter: false };
      return { action: 'mandate.ended', taxpayerId, subject: `practice ${practiceId}`, after: answer, answer };
    }),
  );
}

function presentPractice({ practiceId, name, createdAt }: PracticeRecord): contract.Practice {
  return { PracticeId: practiceId, Name: name, CreatedAt: createdAt.toISOString() };
}
