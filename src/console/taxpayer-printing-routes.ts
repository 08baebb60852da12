import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  checkLogo,
  findPrintSettings,
  findTaxpayer,
  LOGO_BYTES,
  lockTaxpayer,
  NO_TAXPAYER,
  type PrintSettings,
  savePrintSettings,
} from '../fiscal/index.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction } from '../platform/database.ts';
import { bodyOf } from '../platform/http/body.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { closed, Id, textOrNull } from './schemas.ts';
import { changePrintingDocumentation, getPrintingDocumentation } from './taxpayer-printing-documentation.ts';

const PrintingChange = Type.Object(
  {
    Footer: Type.Optional(textOrNull({ maxLength: 500, description: 'Printed at the end. null: nothing.' })),
    Logo: Type.Optional(
      textOrNull({
        // Base64 takes four characters for three bytes; the bytes themselves are counted afterwards.
        maxLength: Math.ceil(LOGO_BYTES / 3) * 4 + 4,
        description: 'A PNG of at most 100 kB and 2000 × 2000 pixels, base64. null: none.',
      }),
    ),
  },
  { ...closed, title: 'PrintingChange' },
);

/** What a taxpayer wants on its printed receipts. */
export function taxpayerPrintingRoutes(app: FastifyInstance, { pool, allow }: ConsoleContext): void {
  app.get<{ Params: { taxpayerId: string } }>('/api/admin/taxpayers/:taxpayerId/printing', {
    onRequest: allow('viewer'),
    schema: { params: Type.Object({ taxpayerId: Id }), documentation: getPrintingDocumentation },
    handler: async (request, reply) => {
      const { taxpayerId } = request.params;
      if ((await findTaxpayer(pool, taxpayerId)) === undefined) return sendProblem(reply, NO_TAXPAYER);
      return present(await findPrintSettings(pool, taxpayerId));
    },
  });

  app.patch<{ Params: { taxpayerId: string } }>('/api/admin/taxpayers/:taxpayerId/printing', {
    onRequest: allow('admin'),
    schema: {
      params: Type.Object({ taxpayerId: Id }),
      body: PrintingChange,
      documentation: changePrintingDocumentation,
    },
    handler: async (request, reply) => {
      const { taxpayerId } = request.params;
      const change = bodyOf<Static<typeof PrintingChange>>(request);
      const checked = typeof change.Logo === 'string' ? await checkLogo(change.Logo) : undefined;
      if (checked?.kind === 'refused') {
        const errors = [checked.violation];
        return sendProblem(reply, { code: 'InvalidRequest', detail: 'The settings have errors.', errors });
      }
      const changed = await inTransaction(pool, async (tx) => {
        if ((await lockTaxpayer(tx, taxpayerId)) === undefined) return undefined;
        const before = await findPrintSettings(tx, taxpayerId);
        const after: PrintSettings = {
          logo: change.Logo === undefined ? before.logo : checked?.logo,
          footer: change.Footer === undefined ? before.footer : (change.Footer ?? undefined),
        };
        await savePrintSettings(tx, taxpayerId, after);
        await recordAudit(tx, {
          ...actorOf(request),
          action: 'taxpayer.printing_changed',
          taxpayerId,
          subject: `taxpayer ${taxpayerId}`,
          before: audited(before),
          after: audited(after),
        });
        return present(after);
      });
      return changed ?? sendProblem(reply, NO_TAXPAYER);
    },
  });
}

function present({ logo, footer }: PrintSettings) {
  return {
    Footer: footer ?? null,
    Logo: logo === undefined ? null : Buffer.from(logo.png).toString('base64'),
    LogoWidth: logo?.width ?? null,
    LogoHeight: logo?.height ?? null,
  };
}

/** The log says which picture it was, not every byte of it. */
function audited(settings: PrintSettings): object {
  const { Logo: _logo, ...fields } = present(settings);
  const { logo } = settings;
  return { ...fields, LogoSha256: logo === undefined ? null : createHash('sha256').update(logo.png).digest('hex') };
}
