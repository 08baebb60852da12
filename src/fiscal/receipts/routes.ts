import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as contract from '../../contract/fiscal/receipt.ts';
import { ExactText } from '../../kernel/exact-json.ts';
import { Refused, refused } from '../../kernel/refusal.ts';
import { confirmed, confirmedOne } from '../../platform/database/barrier.ts';
import { sendOtherMethods } from '../../platform/http/not-found.ts';
import { DEFAULT_PAGE } from '../../platform/http/page.ts';
import { type Call, route } from '../../platform/http/route.ts';
import type { ExactJson } from '../../platform/json/exact-json.ts';
import { type CompletedReceipt, completeReceipt } from '../core/complete-receipt.ts';
import { readOutboxBacklog } from '../core/outbox-backlog.ts';
import { readReceipt } from '../core/read-receipt.ts';
import { receiptText, withEveryField } from '../core/receipt-text.ts';
import { invalidReceipt } from '../core/seal.ts';
import { signedReceiptText } from '../sealed/sealed-receipt.ts';
import { findReceipt } from '../sealed/store.ts';
import type { Sending } from '../submission/sending.ts';
import type { Authenticate } from '../taxpayers/authenticate.ts';
import { callerOf, guardOf } from '../taxpayers/require-scope.ts';
import type { TillsBehind } from '../tills/tills-behind.ts';
import { type CheckContext, checkReceipt } from './check-receipt.ts';
import { writeCursor } from './cursor.ts';
import { readListQuery } from './list-query.ts';
import { searchReceipts } from './search-store.ts';
import type { Sign } from './sign-receipt.ts';

export interface ReceiptRoutesContext extends CheckContext {
  readonly authenticate: Authenticate;
  readonly sign: Sign;
  readonly tills: TillsBehind;
  readonly sending: Sending;
}

export function receiptRoutes(app: FastifyInstance, context: ReceiptRoutesContext): void {
  const guard = guardOf(context.authenticate);

  const sign = async ({ request, reply, body, exact }: Call<typeof contract.signReceipt>) => {
    const isLate = readLate(request);
    if (isLate instanceof Refused) return isLate;
    const outcome = await context.sign(callerOf(request), readReceipt(body, exact.decimal), isLate);
    if (outcome.kind === 'refused') return refused(outcome.refusal);
    if (outcome.kind === 'replayed') reply.header('idempotent-replay', 'true');
    else if (outcome.link.advancedSeconds !== 0) reply.header('date-advanced', outcome.link.advancedSeconds);
    return new ExactText(signedReceiptText(outcome.sealed, context.sending.sends));
  };
  route(app, guard, contract.signReceipt, sign, (request, reply) => hearOutbox(context.tills, request, reply));

  const check = async (request: FastifyRequest, reply: FastifyReply, { receipt, violations }: CompletedReceipt) => {
    const isLate = readLate(request);
    if (isLate instanceof Refused) return isLate;
    if (violations.length > 0) return refused(invalidReceipt(violations));
    const outcome = await checkReceipt(context, callerOf(request), receipt, isLate);
    if (outcome.kind === 'refused') return refused(outcome.refusal);
    const { isReplay, advancedSeconds, notNow } = outcome;
    if (isReplay) reply.header('idempotent-replay', 'true');
    if (advancedSeconds !== 0) reply.header('date-advanced', advancedSeconds);
    if (notNow) reply.header('not-now', notNow.code).header('retry-after', notNow.retryAfterSeconds ?? 1);
    return new ExactText(withEveryField(receiptText(outcome.receipt)));
  };
  route(app, guard, contract.checkReceipt, ({ request, reply, body, exact }) =>
    check(request, reply, { receipt: readReceipt(body, exact.decimal), violations: [] }),
  );
  route(app, guard, contract.calculateReceipt, ({ request, reply, body, exact }) =>
    check(request, reply, completeReceipt(body, exact.decimal, context.clock(), context.taxRounding)),
  );

  route(app, guard, contract.getReceipt, async ({ request, reply, params: { reference } }) => {
    // PostgreSQL refuses a zero byte in text; no reference has one.
    const stored = reference.includes('\u0000')
      ? undefined
      : await findReceipt(confirmedOne(context.pool), callerOf(request).taxpayerId, reference);
    if (stored) return new ExactText(signedReceiptText(stored.sealed, context.sending.sends));
    // Who GETs /api/receipt/sign means the address, not a receipt of that name.
    if (sendOtherMethods(request, reply)) return reply;
    return refused({ code: 'NotFound', detail: 'There is no receipt with this reference.' });
  });

  route(app, guard, contract.listReceipts, async ({ request, query }) => {
    const filter = readListQuery(query);
    if (filter instanceof Refused) return filter;
    const { taxpayerId } = callerOf(request);
    const { receipts, last } = await searchReceipts(
      confirmed(context.pool),
      { ...filter, taxpayerId },
      query.Limit ?? DEFAULT_PAGE,
    );
    return {
      Receipts: receipts.map(({ sealed }) => new ExactText(signedReceiptText(sealed, context.sending.sends))),
      NextCursor: last === undefined ? null : writeCursor(last),
    };
  });
}

/** With these an outbox is done with the sale: sealed, or set aside. */
const ENDS: ReadonlySet<number> = new Set([200, 400, 409]);

/** Also of a request that is refused: that is when tills get behind. Without a valid token no body was read. */
function hearOutbox(tills: TillsBehind, request: FastifyRequest, { statusCode }: FastifyReply): void {
  const backlog = readOutboxBacklog(request.headers['outbox-backlog'], ENDS.has(statusCode));
  const deviceId: unknown = Object((request.body as ExactJson | undefined)?.value).AuthorityDeviceId;
  if (backlog === undefined || typeof deviceId !== 'number' || !Number.isSafeInteger(deviceId)) return;
  const { taxpayerId, tokenId } = callerOf(request);
  tills.hear({ taxpayerId, tokenId, deviceId, ...backlog, at: performance.now() });
}

/** `Late-Receipt`. Any other word is refused: a till that means it must not find out later that it was not understood. */
function readLate({ headers }: FastifyRequest): boolean | Refused {
  const given = headers['late-receipt'];
  if (given === undefined) return false;
  const word = String(given).toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  const errors = [{ Field: 'Late-Receipt', Code: 'NotOneOf', Message: 'must be one of true, false' }];
  return refused({ code: 'InvalidRequest', detail: 'The header Late-Receipt is true or false.', errors });
}
