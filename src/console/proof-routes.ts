import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import * as contract from '../contract/console/proof.ts';
import { type ExportLine, exportLines, findDayByDate, findDevices, NO_DEVICE } from '../fiscal/index.ts';
import { Refused, refused, type Violation } from '../kernel/refusal.ts';
import { parseWall } from '../kernel/zone.ts';
import { confirmed } from '../platform/database/barrier.ts';
import { route } from '../platform/http/route.ts';
import { CHAIN_START, chainLine } from '../verifier/index.ts';
import type { ConsoleContext } from './context.ts';
import { proveStored } from './prove-stored.ts';

/** After this long a call answers at the end of the day it is in. */
const BUDGET_MS = 5_000;

/** Proves what is stored, with the same lines an export has, and the same proof an auditor runs on them. */
export function proofRoutes(app: FastifyInstance, context: ConsoleContext): void {
  const { pool, guard, audited, clock } = context;

  route(app, guard, contract.verifyDevice, async ({ params: { authorityDeviceId: deviceId }, query }) => {
    const [stored] = await findDevices(pool, [deviceId]);
    if (stored === undefined) return refused(NO_DEVICE);
    const { taxpayerId } = stored.device;
    const question = { taxpayerId, deviceId, fromDay: query.FromDay ?? 1, at: clock(), budgetMs: BUDGET_MS };
    return proveStored(pool, question);
  });

  route(
    app,
    guard,
    contract.exportDevice,
    async ({ request, reply, params: { authorityDeviceId: deviceId }, query }) => {
      const errors = checkDates(query);
      if (errors.length > 0) return refused({ code: 'InvalidRequest', detail: 'The query has errors.', errors });
      const [stored] = await findDevices(pool, [deviceId]);
      if (stored === undefined) return refused(NO_DEVICE);
      const key = { taxpayerId: stored.device.taxpayerId, deviceId };
      const dayOf = (text: string, side: 'from' | 'to') =>
        text.includes('-') ? findDayByDate(pool, key, text, side) : Promise.resolve(Number(text));
      const fromDay = await dayOf(query.From ?? '1', 'from');
      const throughDay = query.To === undefined ? undefined : await dayOf(query.To, 'to');
      if (fromDay === undefined || (query.To !== undefined && throughDay === undefined)) {
        return refused({ code: 'NotFound', detail: 'No fiscal day was opened in that time.' });
      }
      // Receipts leave the house with this: who took them, and which.
      const lines = await audited(request, async () => ({
        action: 'device.exported',
        taxpayerId: key.taxpayerId,
        subject: `device ${deviceId}`,
        after: { FromDay: fromDay, ToDay: throughDay ?? null },
        answer: exportLines(confirmed(pool), key, { fromDay, throughDay }, clock()),
      }));
      if (lines instanceof Refused) return lines;
      return reply
        .type('application/x-ndjson')
        .header('content-disposition', `attachment; filename="device-${deviceId}.jsonl"`)
        .send(Readable.from(chained(lines), { objectMode: false }));
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

function checkDates(query: { readonly From?: string; readonly To?: string }): Violation[] {
  return Object.entries(query)
    .filter(([, text]) => text.includes('-') && parseWall(`${text}T00:00:00`) === undefined)
    .map(([Field, text]) => ({ Field, Code: 'Malformed', Message: `${text} is no date` }));
}
