import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { DeviceId } from '../contract/device.ts';
import {
  type ExportLine,
  exportLines,
  findDayByDate,
  findDevice,
  findDeviceOwner,
  NO_DEVICE,
} from '../fiscal/index.ts';
import type { Violation } from '../kernel/refusal.ts';
import { parseWall } from '../kernel/zone.ts';
import { recordAudit } from '../platform/audit.ts';
import { inTransaction } from '../platform/database.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { CHAIN_START, chainLine } from '../verifier/index.ts';
import { actorOf, type ConsoleContext } from './context.ts';
import { closed } from './schemas.ts';
import { exportDeviceDocumentation } from './verify-documentation.ts';

interface ExportQuery {
  From?: string;
  To?: string;
}

const Bound = Type.Optional(
  Type.String({
    pattern: '^([1-9][0-9]{0,8}|[1-9][0-9]{3}-[0-9]{2}-[0-9]{2})$',
    description: 'Number of a fiscal day, or the local date on which it was opened (YYYY-MM-DD). Included.',
  }),
);

/** A device's history as a file that proves itself. */
export function exportRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { pool, allow, clock } = context;
  app.get<{ Params: { authorityDeviceId: number }; Querystring: ExportQuery }>(
    '/api/admin/devices/:authorityDeviceId/export',
    {
      onRequest: allow('operator'),
      schema: {
        documentation: exportDeviceDocumentation,
        params: Type.Object({ authorityDeviceId: DeviceId }),
        querystring: Type.Object({ From: Bound, To: Bound }, closed),
      },
      handler: async (request, reply) => {
        const deviceId = request.params.authorityDeviceId;
        const errors = checkDates(request.query);
        if (errors.length > 0) {
          return sendProblem(reply, { code: 'InvalidRequest', detail: 'The query has errors.', errors });
        }
        const taxpayerId = await findDeviceOwner(pool, deviceId);
        const isKnown = taxpayerId !== undefined && (await findDevice(pool, taxpayerId, deviceId)) !== undefined;
        if (!isKnown) return sendProblem(reply, NO_DEVICE);
        const key = { taxpayerId, deviceId };
        const { From, To } = request.query;
        const fromDay = From === undefined ? 1 : await dayOf(From, (date) => findDayByDate(pool, key, date, 'from'));
        const throughDay =
          To === undefined ? undefined : await dayOf(To, (date) => findDayByDate(pool, key, date, 'to'));
        if (fromDay === undefined || (To !== undefined && throughDay === undefined)) {
          return sendProblem(reply, { code: 'NotFound', detail: 'No fiscal day was opened in that time.' });
        }
        // Receipts leave the house with this: who took them, and which.
        await inTransaction(pool, (tx) =>
          recordAudit(tx, {
            ...actorOf(request),
            action: 'device.exported',
            taxpayerId,
            subject: `device ${deviceId}`,
            before: undefined,
            after: { FromDay: fromDay, ToDay: throughDay ?? null },
          }),
        );
        const lines = exportLines(pool, key, { fromDay, throughDay }, clock());
        return reply
          .type('application/x-ndjson')
          .header('content-disposition', `attachment; filename="device-${deviceId}.jsonl"`)
          .send(Readable.from(chained(lines), { objectMode: false }));
      },
    },
  );
}

const CHUNK_CHARACTERS = 64 * 1024;

/** Some lines at a time: a chunk for each would cost more than making it. */
async function* chained(lines: AsyncIterable<ExportLine>): AsyncGenerator<string> {
  let hash = CHAIN_START;
  let chunk = '';
  for await (const { text } of lines) {
    const next = chainLine(hash, text);
    hash = next.hash;
    chunk += `${next.line}\n`;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

async function dayOf(
  text: string,
  findByDate: (date: string) => Promise<number | undefined>,
): Promise<number | undefined> {
  return text.includes('-') ? findByDate(text) : Number(text);
}

function checkDates(query: ExportQuery): Violation[] {
  return Object.entries(query)
    .filter(([, text]) => text.includes('-') && parseWall(`${text}T00:00:00`) === undefined)
    .map(([Field, text]) => ({ Field, Code: 'Malformed', Message: `${text} is no date` }));
}
