import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import * as contract from '../../contract/billpay/biller.ts';
import { ExactText } from '../../kernel/exact-json.ts';
import { readInstant } from '../../kernel/instant.ts';
import { refused } from '../../kernel/refusal.ts';
import { etagOf, isKnown } from '../../platform/http/etag.ts';
import { type Guard, route } from '../../platform/http/route.ts';
import { vendorOf } from '../vendors/require-vendor.ts';
import { listForVendor } from './visibility-store.ts';

/** Nothing the vendor may know of has ever changed. */
const NEVER = new Date(0);

export function billerRoutes(app: FastifyInstance, pool: Pool, guard: Guard): void {
  route(app, guard, contract.listBillers, async ({ request, reply, query }) => {
    // An offset's plus that was not escaped arrives as a space.
    const since = query.changedSince?.replace(/ (?=\d{2}:\d{2}$)/, '+');
    const changedSince = since === undefined ? undefined : readInstant(since);
    if (since !== undefined && changedSince === undefined) {
      const Message =
        'must be a date and time with Z or an offset, such as 2026-11-15T10:00:00.000Z: send AsOf as it came';
      const errors = [{ Field: 'changedSince', Code: 'Malformed', Message }];
      return refused({ code: 'InvalidRequest', detail: 'The query has errors.', errors });
    }
    const given = (query.billerCodes ?? '').split(',').map((code) => code.trim());
    const codes = given.filter((code) => code !== '');
    const { configurations, asOf = NEVER } = await listForVendor(pool, {
      vendorId: vendorOf(request).vendorId,
      codes: codes.length === 0 ? undefined : codes,
      changedSince,
    });
    const body = `{"Billers":[${configurations.join(',')}],"AsOf":"${asOf.toISOString()}"}`;
    const etag = etagOf(body);
    reply.header('etag', etag).header('cache-control', 'private, no-cache').header('vary', 'Authorization');
    return isKnown(request.headers['if-none-match'], etag) ? reply.code(304).send() : new ExactText(body);
  });
}
