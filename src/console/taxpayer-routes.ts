import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import {
  addTaxpayer,
  findTaxpayer,
  listTaxpayers,
  lockTaxpayer,
  type TaxpayerRecord,
  updateTaxpayer,
} from '../fiscal/index.ts';
import { canonicalCurrency, isCurrentCurrency } from '../kernel/currency.ts';
import { newId } from '../kernel/ids.ts';
import type { Violation } from '../kernel/refusal.ts';
import { inTransaction } from '../platform/database.ts';
import { bodyOf } from '../platform/http/body.ts';
import { readPage } from '../platform/http/page.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { recordAudit } from './audit.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { closed, DEFAULT_PAGE, Id, nextCursor, page, textOrNull } from './schemas.ts';
import {
  addTaxpayerDocumentation,
  changeTaxpayerDocumentation,
  getTaxpayerDocumentation,
  listTaxpayersDocumentation,
} from './taxpayer-documentation.ts';

const DefaultHsCodes = Type.Unsafe<{ Taxed: string; ZeroRated: string; Exempt: string } | null>({
  type: ['object', 'null'],
  description: 'Given to lines that come without an HsCode. null: every line must bring its own.',
  required: ['Taxed', 'ZeroRated', 'Exempt'],
  additionalProperties: false,
  properties: {
    Taxed: { type: 'string', pattern: '^([0-9]{4}|[0-9]{8})$' },
    ZeroRated: { type: 'string', pattern: '^[0-9]{8}$' },
    Exempt: { type: 'string', pattern: '^[0-9]{8}$' },
  },
});

const fields = {
  Name: Type.String({ minLength: 1, maxLength: 250 }),
  TIN: Type.String({ pattern: '^[0-9]{10}$' }),
  VatNumber: Type.Optional(textOrNull({ pattern: '^[0-9]{9}$', description: 'null: not registered for VAT.' })),
  Currencies: Type.Optional(
    Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string', pattern: '^[A-Z]{3}$' },
      minItems: 1,
      maxItems: 200,
      description: 'The only currencies this taxpayer may use. null: every current ISO 4217 code.',
    }),
  ),
  DefaultHsCodes: Type.Optional(DefaultHsCodes),
};

const NewTaxpayer = Type.Object(fields, { ...closed, title: 'NewTaxpayer' });
const TaxpayerChange = Type.Partial(Type.Object({ ...fields, Suspended: Type.Boolean() }), {
  ...closed,
  title: 'TaxpayerChange',
});
type TaxpayerChange = Static<typeof TaxpayerChange>;

export function taxpayerRoutes(app: FastifyInstance, { pool, masterKeys, allow, clock }: ConsoleContext): void {
  app.get<{ Querystring: { Limit?: number; Cursor?: string } }>('/api/admin/taxpayers', {
    onRequest: allow('viewer'),
    schema: {
      querystring: Type.Object({ ...page, Cursor: Type.Optional(Id) }, closed),
      documentation: listTaxpayersDocumentation,
    },
    handler: async (request) => {
      const limit = request.query.Limit ?? DEFAULT_PAGE;
      const taxpayers = await readPage(limit, (most) => listTaxpayers(pool, request.query.Cursor, most));
      return {
        Taxpayers: taxpayers.rows.map(presentTaxpayer),
        NextCursor: nextCursor(taxpayers, (last) => last.taxpayerId),
      };
    },
  });

  app.post('/api/admin/taxpayers', {
    onRequest: allow('admin'),
    schema: { body: NewTaxpayer, documentation: addTaxpayerDocumentation },
    handler: async (request, reply) => {
      const body = bodyOf<Static<typeof NewTaxpayer>>(request);
      const errors = checkCurrencies(body.Currencies);
      if (errors.length > 0)
        return sendProblem(reply, { code: 'InvalidRequest', detail: 'The taxpayer has errors.', errors });
      const taxpayerId = newId();
      const added = await inTransaction(pool, async (tx) => {
        await addTaxpayer(tx, masterKeys, {
          taxpayerId,
          name: body.Name,
          tin: body.TIN,
          vatNumber: body.VatNumber ?? undefined,
          currencies: body.Currencies?.map(canonicalCurrency),
          defaultHsCodes: hsCodes(body.DefaultHsCodes),
        });
        const taxpayer = await lockTaxpayer(tx, taxpayerId);
        if (taxpayer === undefined) throw new Error('the taxpayer that was just added is not there');
        const after = presentTaxpayer(taxpayer);
        await recordAudit(tx, {
          ...actorOf(request),
          action: 'taxpayer.added',
          taxpayerId,
          subject: `taxpayer ${taxpayerId}`,
          before: undefined,
          after,
        });
        return after;
      });
      return reply.code(201).send(added);
    },
  });

  app.get<{ Params: { taxpayerId: string } }>('/api/admin/taxpayers/:taxpayerId', {
    onRequest: allow('viewer'),
    schema: { params: Type.Object({ taxpayerId: Id }), documentation: getTaxpayerDocumentation },
    handler: async (request, reply) => {
      const taxpayer = await findTaxpayer(pool, request.params.taxpayerId);
      return taxpayer ? presentTaxpayer(taxpayer) : sendProblem(reply, NO_TAXPAYER);
    },
  });

  app.patch<{ Params: { taxpayerId: string } }>('/api/admin/taxpayers/:taxpayerId', {
    onRequest: allow('admin'),
    schema: {
      params: Type.Object({ taxpayerId: Id }),
      body: TaxpayerChange,
      documentation: changeTaxpayerDocumentation,
    },
    handler: async (request, reply) => {
      const change = bodyOf<TaxpayerChange>(request);
      const errors = checkCurrencies(change.Currencies);
      if (errors.length > 0)
        return sendProblem(reply, { code: 'InvalidRequest', detail: 'The taxpayer has errors.', errors });
      const { taxpayerId } = request.params;
      const changed = await inTransaction(pool, async (tx) => {
        const before = await lockTaxpayer(tx, taxpayerId);
        if (before === undefined) return undefined;
        const after = applyChange(before, change, clock());
        await updateTaxpayer(tx, after);
        await recordAudit(tx, {
          ...actorOf(request),
          action: 'taxpayer.changed',
          taxpayerId,
          subject: `taxpayer ${taxpayerId}`,
          before: presentTaxpayer(before),
          after: presentTaxpayer(after),
        });
        return presentTaxpayer(after);
      });
      return changed ?? sendProblem(reply, NO_TAXPAYER);
    },
  });
}

export const NO_TAXPAYER = { code: 'NotFound', detail: 'There is no taxpayer with this id.' } as const;

function applyChange(before: TaxpayerRecord, change: TaxpayerChange, now: Date): TaxpayerRecord {
  const hs = change.DefaultHsCodes;
  return {
    ...before,
    name: change.Name ?? before.name,
    tin: change.TIN ?? before.tin,
    vatNumber: change.VatNumber === undefined ? before.vatNumber : change.VatNumber,
    currencies:
      change.Currencies === undefined ? before.currencies : (change.Currencies?.map(canonicalCurrency) ?? null),
    ...(hs === undefined
      ? {}
      : {
          defaultHsTaxed: hs?.Taxed ?? null,
          defaultHsZeroRated: hs?.ZeroRated ?? null,
          defaultHsExempt: hs?.Exempt ?? null,
        }),
    suspendedAt:
      change.Suspended === undefined ? before.suspendedAt : change.Suspended ? (before.suspendedAt ?? now) : null,
  };
}

function hsCodes(codes: { Taxed: string; ZeroRated: string; Exempt: string } | null | undefined) {
  return codes ? { taxed: codes.Taxed, zeroRated: codes.ZeroRated, exempt: codes.Exempt } : undefined;
}

function checkCurrencies(currencies: readonly string[] | null | undefined): Violation[] {
  return (currencies ?? []).flatMap((currency, index) =>
    isCurrentCurrency(canonicalCurrency(currency))
      ? []
      : [{ Field: `Currencies[${index}]`, Code: 'RCPT010', Message: `${currency} is not a current ISO 4217 code` }],
  );
}

function presentTaxpayer(taxpayer: TaxpayerRecord) {
  const { defaultHsTaxed, defaultHsZeroRated, defaultHsExempt } = taxpayer;
  return {
    TaxpayerId: taxpayer.taxpayerId,
    Name: taxpayer.name,
    TIN: taxpayer.tin,
    VatNumber: taxpayer.vatNumber,
    Currencies: taxpayer.currencies,
    DefaultHsCodes:
      defaultHsTaxed === null
        ? null
        : { Taxed: defaultHsTaxed, ZeroRated: defaultHsZeroRated, Exempt: defaultHsExempt },
    Suspended: taxpayer.suspendedAt !== null,
    SuspendedAt: taxpayer.suspendedAt?.toISOString() ?? null,
    CreatedAt: taxpayer.createdAt.toISOString(),
  };
}
