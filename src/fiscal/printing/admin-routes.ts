import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/fiscal/printing.ts';
import { refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { route } from '../../platform/http/route.ts';
import { findNumbered } from '../sealed/store.ts';
import { NO_TAXPAYER } from '../taxpayers/change-taxpayer.ts';
import { findTaxpayer } from '../taxpayers/store.ts';
import { changePrinting, presentPrinting } from './change-printing.ts';
import { checkLogo } from './check-logo.ts';
import { printReceipt } from './print-receipt.ts';
import { attachRenderer } from './renderer.ts';
import { sendPrinted } from './send-printed.ts';
import { findPrintSettings } from './store.ts';

/** What a taxpayer wants on its printed receipts, and any receipt as it prints. */
export function printingAdminRoutes(app: FastifyInstance, { pool, guard, audited }: Administration): void {
  route(app, guard, contract.getPrinting, async ({ params: { taxpayerId } }) =>
    (await findTaxpayer(pool, taxpayerId)) === undefined
      ? refused(NO_TAXPAYER)
      : presentPrinting(await findPrintSettings(pool, taxpayerId)),
  );

  route(app, guard, contract.changePrinting, async ({ request, params, body }) => {
    // Before the transaction: it takes a while.
    const checked = typeof body.Logo === 'string' ? await checkLogo(body.Logo) : undefined;
    if (checked?.kind === 'refused') {
      const errors = [checked.violation];
      return refused({ code: 'InvalidRequest', detail: 'The settings have errors.', errors });
    }
    return audited(request, (tx) => changePrinting(tx, params.taxpayerId, body, checked?.logo));
  });

  const context = { pool, renderer: attachRenderer(app) };
  route(app, guard, contract.printManagedReceipt, async ({ request, reply, params, query }) => {
    const { authorityDeviceId: deviceId, globalCounter } = params;
    const stored = await findNumbered(pool, deviceId, globalCounter);
    if (stored === undefined) {
      return refused({ code: 'NotFound', detail: `There is no receipt ${globalCounter} of device ${deviceId}.` });
    }
    const printed = await printReceipt(context, stored, query, () => !request.socket.destroyed);
    return sendPrinted(reply, printed, `${deviceId}-${globalCounter}`);
  });
}
