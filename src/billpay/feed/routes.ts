import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import * as contract from '../../contract/billpay/biller-figures.ts';
import { refused } from '../../kernel/refusal.ts';
import { confirmed } from '../../platform/database/barrier.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { type Guard, route } from '../../platform/http/route.ts';
import { readBillers } from '../billers/read-billers.ts';
import { findVisible } from '../billers/visibility-store.ts';
import { NO_BILLER } from '../core/biller.ts';
import { holderOf } from '../vendors/require-vendor.ts';
import { listFeed, listMembers, membersGoOn } from './store.ts';

const PAGE = 20;

export function feedRoutes(app: FastifyInstance, pool: Pool, guard: Guard): void {
  route(app, guard, contract.getFeed, async ({ request, query: { billercode, currency, before } }) => {
    const codes = [billercode];
    const holder = holderOf(request);
    const [billers, visible] = await Promise.all([
      readBillers(pool, codes),
      holder.kind === 'biller' ? new Set([holder.billerCode]) : findVisible(pool, holder.vendorId, codes),
    ]);
    const biller = visible.has(billercode) ? billers.get(billercode) : undefined;
    if (biller === undefined) return refused(NO_BILLER);
    if (!biller.AllowFeed) {
      return refused({ code: 'Forbidden', detail: 'The feed of this biller is not enabled (AllowFeed).' });
    }
    return listFeed(confirmed(pool), { billerCode: billercode, currency, before, limit: PAGE });
  });
}

/** For operators, also where vendors do not get it. */
export function feedAdminRoutes(app: FastifyInstance, { pool, guard }: Administration): void {
  route(app, guard, contract.getBillerFeed, async ({ params: { billerCode }, query }) => {
    const { Currency: currency, Cursor, Limit = DEFAULT_PAGE } = query;
    const before = Cursor === undefined ? undefined : Number(Cursor);
    const [billers, feed] = await Promise.all([
      readBillers(pool, [billerCode]),
      readPage(Limit, (limit) => listFeed(pool, { billerCode, currency, before, limit })),
    ]);
    if (!billers.has(billerCode)) return refused(NO_BILLER);
    return { Items: [...feed.rows], NextCursor: nextCursor(feed, (last) => String(Date.parse(last.Date))) };
  });

  route(app, guard, contract.listBillerMembers, async ({ params: { billerCode }, query }) => {
    const { Cursor, Limit = DEFAULT_PAGE } = query;
    const before = Cursor === undefined ? undefined : Number(Cursor);
    const [billers, members] = await Promise.all([
      readBillers(pool, [billerCode]),
      readPage(Limit, (limit) => listMembers(pool, billerCode, before, limit)),
    ]);
    if (!billers.has(billerCode)) return refused(NO_BILLER);
    const goesOnAt = members.last === undefined ? await membersGoOn(pool, billerCode, before) : undefined;
    const NextCursor = nextCursor(members, (last) => String(Date.parse(last.LastPaidAt)));
    return { Members: [...members.rows], NextCursor: NextCursor ?? (goesOnAt ? String(goesOnAt.getTime()) : null) };
  });
}
