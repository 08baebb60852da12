import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Printing, PrintingChange } from '../../contract/fiscal/printing.ts';
import * as contract from '../../contract/fiscal/printing.ts';
import { type Refused, refused } from '../../kernel/refusal.ts';
import type { Change } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { route } from '../../platform/http/route.ts';
import { findNumbered } from '../sealed/store.ts';
import { NO_TAXPAYER } from '../taxpayers/change-taxpayer.ts';
import { findTaxpayer, lockTaxpayer } from '../taxpayers/store.ts';
import { checkLogo } from './check-logo.ts';
import { printReceipt } from './print-receipt.ts';
import { attachRenderer } from './renderer.ts';
import { sendPrinted } from './send-printed.ts';
import { findPrintSettings, type Logo, type PrintSettings, savePrintSettings } from './store.ts';

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

/** Changes the fields that are given, and no others. The logo was checked before. */
async function changePrinting(
  tx: Transaction,
  taxpayerId: string,
  change: PrintingChange,
  logo: Logo | undefined,
): Promise<Change<Printing> | Refused> {
  if ((await lockTaxpayer(tx, taxpayerId)) === undefined) return refused(NO_TAXPAYER);
  const stored = await findPrintSettings(tx, taxpayerId);
  const changed: PrintSettings = {
    logo: change.Logo === undefined ? stored.logo : logo,
    footer: change.Footer === undefined ? stored.footer : (change.Footer ?? undefined),
    hasFiscalNoteTitles: change.FiscalNoteTitles ?? stored.hasFiscalNoteTitles,
  };
  await savePrintSettings(tx, taxpayerId, changed);
  return {
    action: 'taxpayer.printing_changed',
    taxpayerId,
    subject: `taxpayer ${taxpayerId}`,
    before: withoutPicture(stored),
    after: withoutPicture(changed),
    answer: presentPrinting(changed),
  };
}

function presentPrinting({ logo, footer, hasFiscalNoteTitles }: PrintSettings): Printing {
  return {
    Footer: footer ?? null,
    Logo: logo === undefined ? null : Buffer.from(logo.png).toString('base64'),
    LogoWidth: logo?.width ?? null,
    LogoHeight: logo?.height ?? null,
    FiscalNoteTitles: hasFiscalNoteTitles,
  };
}

/** The log says which picture it was, not every byte of it. */
function withoutPicture(settings: PrintSettings): object {
  const { Logo: _logo, ...fields } = presentPrinting(settings);
  const { logo } = settings;
  return { ...fields, LogoSha256: logo === undefined ? null : createHash('sha256').update(logo.png).digest('hex') };
}
