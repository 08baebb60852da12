import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/fiscal/managed-receipt.ts';
import { ExactText } from '../../kernel/exact-json.ts';
import { Refused, refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { sendCsv } from '../../platform/http/csv.ts';
import { DEFAULT_PAGE } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { signedReceiptText } from '../sealed/sealed-receipt.ts';
import type { Sending } from '../submission/sending.ts';
import { writeCursor } from './cursor.ts';
import { findReceiptDetail } from './detail-store.ts';
import { readListQuery } from './list-query.ts';
import { receiptCsv } from './receipt-csv.ts';
import { searchReceipts } from './search-store.ts';

/** Receipts of all taxpayers, for operators. */
export function receiptAdminRoutes(
  app: FastifyInstance,
  context: Administration & { readonly timeZone: string; readonly sending: Sending },
): void {
  const { pool, guard, audited, sending } = context;
  route(app, guard, contract.searchReceipts, async ({ query }) => {
    const search = readListQuery(query);
    if (search instanceof Refused) return search;
    const { receipts, last } = await searchReceipts(pool, search, query.Limit ?? DEFAULT_PAGE);
    return {
      Receipts: receipts.map(({ taxpayerId, zone, worstColour, sealed }) => ({
        TaxpayerId: taxpayerId,
        SealedAt: sealed.sealedAt.toISOString(),
        Zone: zone,
        State: sealed.submission.state,
        WorstColour: worstColour,
        Receipt: new ExactText(signedReceiptText(sealed, sending.sends)),
      })),
      NextCursor: last === undefined ? null : writeCursor(last),
    };
  });

  route(app, guard, contract.downloadReceipts, async ({ request, reply, query }) => {
    const search = readListQuery(query);
    if (search instanceof Refused) return search;
    // Buyers leave the house with this: who took them, and which.
    await audited(request, async () => ({
      action: 'receipts.downloaded',
      taxpayerId: query.TaxpayerId,
      subject: 'receipts',
      after: query,
      answer: undefined,
    }));
    return sendCsv(reply, context, 'receipts', receiptCsv(pool, search, context.timeZone));
  });

  route(app, guard, contract.getManagedReceipt, async ({ params }) => {
    const detail = await findReceiptDetail(pool, sending.sends, params.authorityDeviceId, params.globalCounter);
    return detail ?? refused({ code: 'NotFound', detail: 'This device has no receipt with this number.' });
  });
}
