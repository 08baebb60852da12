import type { FastifyReply } from 'fastify';
import { sendProblem } from '../../platform/http/problem.ts';
import { CONTENT_TYPES, FILE_ENDINGS } from './print-format.ts';
import type { PrintOutcome } from './print-receipt.ts';

/** Shown where it can be shown, and saved under a name that tells what it is. Our own pages may frame it. */
export async function sendPrinted(reply: FastifyReply, outcome: PrintOutcome, name: string): Promise<FastifyReply> {
  if (outcome.kind === 'refused') return sendProblem(reply, outcome.refusal);
  const { format, content } = outcome;
  const policy =
    format === 'html'
      ? (await import('./render-html.ts')).htmlPolicy(Buffer.from(content).toString())
      : "default-src 'none'; frame-ancestors 'self'";
  return reply
    .type(CONTENT_TYPES[format])
    .header('content-disposition', `inline; filename="${fileName(name)}.${FILE_ENDINGS[format]}"`)
    .header('content-security-policy', policy)
    .send(typeof content === 'string' ? content : Buffer.from(content));
}

function fileName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, 100);
}
