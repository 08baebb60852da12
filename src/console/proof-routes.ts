import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import * as contract from '../contract/console/proof.ts';
import {
  type ExportLine,
  exportLines,
  findDayByDate,
  findDevices,
  findTaxpayer,
  listDevices,
  NO_DEVICE,
  NO_TAXPAYER,
} from '../fiscal/index.ts';
import { Refused, refused, type Violation } from '../kernel/refusal.ts';
import { parseWall } from '../kernel/zone.ts';
import { confirmed } from '../platform/database/barrier.ts';
import type { Queryable } from '../platform/database/database.ts';
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
      return sendLines(reply, `device-${deviceId}`, chained(lines));
    },
  );

  route(app, guard, contract.exportTaxpayer, async ({ request, reply, params: { taxpayerId } }) => {
    const taxpayer = await findTaxpayer(pool, taxpayerId);
    if (taxpayer === undefined) return refused(NO_TAXPAYER);
    const lines = await audited(request, async () => ({
      action: 'taxpayer.exported',
      taxpayerId,
      subject: `taxpayer ${taxpayerId}`,
      answer: journalsOf(confirmed(pool), taxpayerId, clock()),
    }));
    return lines instanceof Refused ? lines : sendLines(reply, `taxpayer-${taxpayer.TIN}`, lines);
  });
}

const DEVICES_AT_ONCE = 200;

/** Of one device after the other. One that is not registered to the end has none. */
async function* journalsOf(db: Queryable, taxpayerId: string, at: Date): AsyncGenerator<string> {
  let after: number | undefined;
  do {
    const ids = await listDevices(db, { taxpayerId, isStopped: undefined, after }, DEVICES_AT_ONCE);
    for (const { device } of await findDevices(db, ids))
      yield* chained(exportLines(db, device, { fromDay: 1, throughDay: undefined }, at));
    after = ids.length < DEVICES_AT_ONCE ? undefined : ids.at(-1);
  } while (after !== undefined);
}

function sendLines(reply: FastifyReply, name: string, lines: AsyncIterable<string>): FastifyReply {
  return reply
    .type('application/x-ndjson')
    .header('content-disposition', `attachment; filename="${name}.jsonl"`)
    .send(Readable.from(lines, { objectMode: false }));
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
