import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { formatZoned } from '../../kernel/zone.ts';
import { type Clock, seconds } from '../clock.ts';

/** Sends a table for spreadsheets, made as it is read; a client that hangs up ends it. */
export function sendCsv(
  reply: FastifyReply,
  { clock, timeZone }: { readonly clock: Clock; readonly timeZone: string },
  noun: string,
  lines: AsyncGenerator<string>,
): FastifyReply {
  const today = formatZoned(timeZone, seconds(clock())).slice(0, 10);
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${noun}-${today}.csv"`)
    .send(Readable.from(lines, { objectMode: false }));
}
