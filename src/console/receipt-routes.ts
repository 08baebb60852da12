import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { DeviceId } from '../contract/device.ts';
import {
  findDeviceOwner,
  findNeighbours,
  findNotes,
  findReceiptDetail,
  type ListQuery,
  listFailedAttempts,
  listFields,
  type ReceiptSearch,
  readListQuery,
  SUBMISSION_STATES,
  type SubmissionState,
  searchReceipts,
  signedReceiptText,
  writeCursor,
} from '../fiscal/index.ts';
import type { Refusal, Violation } from '../kernel/refusal.ts';
import { sendProblem } from '../platform/http/problem.ts';
import type { ConsoleContext } from './context.ts';
import { receiptDetailText } from './present-receipt.ts';
import { getManagedReceiptDocumentation, searchReceiptsDocumentation } from './receipt-documentation.ts';
import { closed, DEFAULT_PAGE, Id } from './schemas.ts';

export interface SearchQuery extends ListQuery {
  TaxpayerId?: string;
  State?: SubmissionState;
  Amount?: string;
  Buyer?: string;
  VerificationCode?: string;
}

const NO_RECEIPT: Refusal = { code: 'NotFound', detail: 'This device has no receipt with this number.' };

/** What operators look for beyond what taxpayers list by. */
export const searchFields = {
  TaxpayerId: Type.Optional(Id),
  State: Type.Optional(Type.String({ enum: SUBMISSION_STATES })),
  Amount: Type.Optional(
    Type.String({
      pattern: '^-?[0-9]{1,17}([.][0-9]{1,2})?$',
      description: 'Exactly this total, in any currency.',
    }),
  ),
  Buyer: Type.Optional(
    Type.String({ minLength: 2, maxLength: 200, description: "The buyer's TIN, or how the name begins." }),
  ),
  VerificationCode: Type.Optional(
    Type.String({
      pattern: '^[0-9A-Fa-f]{4}(-?[0-9A-Fa-f]{4}){3}$',
      description: 'As printed, with or without dashes.',
    }),
  ),
};

/** Receipts of all taxpayers, for operators. */
export function receiptSearchRoutes(app: FastifyInstance, { pool, allow }: ConsoleContext): void {
  app.get<{ Querystring: SearchQuery }>('/api/admin/receipts', {
    onRequest: allow('viewer'),
    schema: {
      documentation: searchReceiptsDocumentation,
      querystring: Type.Object({ ...searchFields, ...listFields }, closed),
    },
    handler: async (request, reply) => {
      const search = readSearch(request.query);
      if (Array.isArray(search)) {
        return sendProblem(reply, { code: 'InvalidRequest', detail: 'The query has errors.', errors: search });
      }
      const limit = request.query.Limit ?? DEFAULT_PAGE;
      const { receipts, last } = await searchReceipts(pool, search, limit);
      const items = receipts.map(
        ({ taxpayerId, zone, worstColour, sealed }) =>
          `{"TaxpayerId":"${taxpayerId}","SealedAt":"${sealed.sealedAt.toISOString()}","Zone":${JSON.stringify(zone)},` +
          `"State":"${sealed.submission.state}","WorstColour":${JSON.stringify(worstColour)},` +
          `"Receipt":${signedReceiptText(sealed)}}`,
      );
      const next = last === undefined ? 'null' : `"${writeCursor(last)}"`;
      return reply
        .type('application/json; charset=utf-8')
        .send(`{"Receipts":[${items.join(',')}],"NextCursor":${next}}`);
    },
  });

  app.get<{ Params: { authorityDeviceId: number; globalCounter: number } }>(
    '/api/admin/devices/:authorityDeviceId/receipts/:globalCounter',
    {
      onRequest: allow('viewer'),
      schema: {
        documentation: getManagedReceiptDocumentation,
        params: Type.Object({ authorityDeviceId: DeviceId, globalCounter: DeviceId }),
      },
      handler: async (request, reply) => {
        const { authorityDeviceId: deviceId, globalCounter } = request.params;
        const taxpayerId = await findDeviceOwner(pool, deviceId);
        const detail =
          taxpayerId === undefined ? undefined : await findReceiptDetail(pool, taxpayerId, deviceId, globalCounter);
        if (taxpayerId === undefined || detail === undefined) return sendProblem(reply, NO_RECEIPT);
        const [neighbours, notes, attempts] = await Promise.all([
          findNeighbours(pool, taxpayerId, deviceId, globalCounter),
          findNotes(pool, taxpayerId, deviceId, globalCounter),
          listFailedAttempts(pool, { taxpayerId, deviceId, globalCounter }),
        ]);
        return reply
          .type('application/json; charset=utf-8')
          .send(receiptDetailText(detail, { neighbours, notes, attempts }));
      },
    },
  );
}

export function readSearch(query: SearchQuery): ReceiptSearch | Violation[] {
  const filter = readListQuery(query);
  if (Array.isArray(filter)) return filter;
  return {
    ...filter,
    taxpayerId: query.TaxpayerId,
    states: query.State === undefined ? [] : [query.State],
    total: query.Amount,
    buyer: query.Buyer?.trim(),
    verificationCode: query.VerificationCode?.replaceAll('-', ''),
  };
}
