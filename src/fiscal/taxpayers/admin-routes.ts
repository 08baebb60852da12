import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/fiscal/taxpayer.ts';
import { canonicalCurrency } from '../../kernel/currency.ts';
import { newId } from '../../kernel/ids.ts';
import { refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { addTaxpayer } from './add-taxpayer.ts';
import { changeTaxpayer, checkTaxpayer, NO_TAXPAYER } from './change-taxpayer.ts';
import { insertMandate } from './mandate-store.ts';
import { findTaxpayer, listTaxpayers, lockTaxpayer } from './store.ts';

const NO_PRACTICE = { code: 'NotFound', detail: 'There is no practice with this id.' } as const;

export function taxpayerAdminRoutes(
  app: FastifyInstance,
  { pool, clock, guard, audited, masterKeys }: Administration & { readonly masterKeys: MasterKeys },
): void {
  route(app, guard, contract.listTaxpayers, async ({ query }) => {
    const taxpayers = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) =>
      listTaxpayers(pool, { practiceId: query.PracticeId, before: query.Cursor }, limit),
    );
    return {
      Taxpayers: [...taxpayers.rows],
      NextCursor: nextCursor(taxpayers, (last) => last.TaxpayerId),
    };
  });

  route(app, guard, contract.getTaxpayer, async ({ params }) => {
    return (await findTaxpayer(pool, params.taxpayerId)) ?? refused(NO_TAXPAYER);
  });

  route(app, guard, contract.addTaxpayer, ({ request, body }) =>
    audited(request, async (tx) => {
      const refusal = checkTaxpayer(body);
      if (refusal !== undefined) return refused(refusal);
      const taxpayerId = newId();
      await addTaxpayer(tx, masterKeys, {
        taxpayerId,
        name: body.Name,
        tin: body.TIN,
        vatNumber: body.VatNumber ?? undefined,
        currencies: body.Currencies?.map(canonicalCurrency),
        defaultHsCodes: body.DefaultHsCodes ?? undefined,
        notesTakeBuyer: body.NotesTakeBuyer,
        originalDevices: body.OriginalDevices ?? undefined,
        timeZone: body.TimeZone ?? undefined,
      });
      if (body.PracticeId !== undefined && !(await insertMandate(tx, body.PracticeId, taxpayerId)))
        return refused(NO_PRACTICE);
      const after = await lockTaxpayer(tx, taxpayerId);
      if (after === undefined) throw new Error('the taxpayer that was just added is not there');
      return { action: 'taxpayer.added', taxpayerId, subject: `taxpayer ${taxpayerId}`, after, answer: after };
    }),
  );

  route(app, guard, contract.changeTaxpayer, ({ request, params, body }) =>
    audited(request, (tx) => changeTaxpayer(tx, params.taxpayerId, body, clock())),
  );
}
