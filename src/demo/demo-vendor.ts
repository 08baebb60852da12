import type { Pool } from 'pg';
import {
  addBiller,
  addVendor,
  changeVendor,
  changeVisibility,
  createPaymentWork,
  findVendorByCode,
} from '../billpay/index.ts';
import { newId } from '../kernel/ids.ts';
import { Refused } from '../kernel/refusal.ts';
import type { Clock } from '../platform/clock.ts';
import { inTransaction } from '../platform/database/database.ts';
import type { Log } from '../platform/logging/log.ts';
import type { MasterKeys } from '../platform/secrets/master-keys.ts';
import { issueToken } from '../platform/tokens/issue-token.ts';
import { type DemoBiller, demoBillers } from './demo-billers.ts';
import { freshPayments, pastPayments } from './demo-payments.ts';

/** What of demo.json is about bill payments. */
export interface DemoBillpay {
  readonly vendor: { readonly code: string; readonly token: string };
  readonly billers: Readonly<Record<DemoBiller, string>>;
}

export interface DemoVendorContext {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  readonly log: Log;
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly callbackUrl: string;
}

const VENDOR = { vendorCode: 'BAOBAB', name: 'Baobab Pay' };
const DAY_MS = 86_400_000;
const REVERSED_AFTER_MS = 20 * 60_000;
/** As many as make lists, feed and target worth looking at, and a first start not noticeably longer. */
const PAST = { target: 100, feed: 90, plain: 20 } as const;

/**
 * Makes the vendor and its billers, or finds those of an earlier start. `keep` stores the tokens, which are shown once, before
 * anything is committed.
 */
export async function prepareDemoVendor(
  context: DemoVendorContext,
  known: Partial<DemoBillpay> & { readonly callbackUrl?: string | undefined },
  keep: (made: DemoBillpay) => Promise<void>,
): Promise<DemoBillpay & { readonly isNew: boolean }> {
  const found = await findVendorByCode(context.pool, VENDOR.vendorCode);
  const { vendor, billers } = known;
  if (found !== undefined && vendor !== undefined && billers !== undefined) {
    // The receiver moves with the port. An address that an operator has put in its place stays.
    if (found.CallbackUrl === known.callbackUrl) await moveCallback(context, found.VendorId);
    return { vendor, billers, isNew: false };
  }
  return { ...(await makeVendor(context, keep)), isNew: true };
}

async function moveCallback({ pool, masterKeys, clock, callbackUrl }: DemoVendorContext, vendorId: string) {
  await inTransaction(pool, (tx) => changeVendor(tx, masterKeys, vendorId, { CallbackUrl: callbackUrl }, clock()));
}

async function makeVendor(
  context: DemoVendorContext,
  keep: (made: DemoBillpay) => Promise<void>,
): Promise<DemoBillpay> {
  const { pool, masterKeys, clock, taxpayerId, deviceId, callbackUrl } = context;
  const now = clock();
  const past = new Date(now.getTime() - 30 * DAY_MS);
  const billers = demoBillers(past);
  const vendorId = newId();
  return inTransaction(pool, async (tx) => {
    await addVendor(tx, masterKeys, { vendorId, ...VENDOR }, past);
    const fiscal = await issueToken(tx, { taxpayerId, name: 'Invoices of Baobab Pay', scopes: ['sign', 'read'] });
    await changeVendor(
      tx,
      masterKeys,
      vendorId,
      { CallbackUrl: callbackUrl, FiscalToken: fiscal.token, FiscalDeviceId: deviceId },
      now,
    );
    const { token } = await issueToken(tx, { vendorId, name: 'Demo app', scopes: ['pay', 'read', 'endpoints'] });
    for (const biller of Object.values(billers)) {
      await addBiller(tx, biller, past);
      await changeVisibility(tx, vendorId, biller.Code, true, now);
    }
    const { invoiced, target, feed, plain } = billers;
    const made: DemoBillpay = {
      vendor: { code: VENDOR.vendorCode, token },
      billers: { invoiced: invoiced.Code, target: target.Code, feed: feed.Code, plain: plain.Code },
    };
    await keep(made);
    return made;
  });
}

/**
 * Weeks of payments, each taken by the real use case with the clock set to its moment. Only of billers that want no invoices:
 * the authority would take none of those days any more.
 */
export async function payThePast(context: DemoVendorContext, { billers }: DemoBillpay): Promise<void> {
  const vendor = await findVendorByCode(context.pool, VENDOR.vendorCode);
  if (vendor === undefined) return;
  const { VendorId: vendorId } = vendor;
  const kinds = ['target', 'feed', 'plain'] as const;
  await Promise.all(
    kinds.map(async (kind) => {
      const time = { now: context.clock() };
      const work = createPaymentWork({ pool: context.pool, log: context.log, clock: () => time.now });
      for (const past of pastPayments(kind, billers[kind], time.now, PAST[kind])) {
        time.now = past.at;
        const outcome = await work.pay(vendorId, past.request);
        if (outcome instanceof Refused) throw new Error(`a payment of the demo was refused: ${outcome.refusal.detail}`);
        if (!past.isReversed) continue;
        const { vendorReference } = past.request;
        time.now = new Date(Math.min(past.at.getTime() + REVERSED_AFTER_MS, context.clock().getTime()));
        await work.reverse({ vendorId, vendorReference }, 'Paid to the wrong account');
      }
      await work.stop();
    }),
  );
}

/** Some payments of now whose invoices are signed as soon as the service listens. */
export async function payFresh(context: DemoVendorContext, { billers }: DemoBillpay): Promise<void> {
  const vendor = await findVendorByCode(context.pool, VENDOR.vendorCode);
  if (vendor === undefined) return;
  const work = createPaymentWork(context);
  for (const request of freshPayments(billers.invoiced)) await work.pay(vendor.VendorId, request);
  await work.stop();
}
