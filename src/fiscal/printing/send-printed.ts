import type { FastifyReply } from 'fastify';
import type { PrintFormat } from '../../contract/fiscal/printing.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import type { PrintOutcome } from './print-receipt.ts';

/** With the ending of its file. */
const CONTENT_TYPES: Readonly<Record<PrintFormat, readonly [type: string, ending: string]>> = {
  pdf: ['application/pdf', 'pdf'],
  html: ['text/html; charset=utf-8', 'html'],
  text: ['text/plain; charset=utf-8', 'txt'],
  escpos: ['application/octet-stream', 'bin'],
  png: ['image/png', 'png'],
};

/** Shown where it can be shown, and saved under a name that tells what it is. Our own pages may frame it. */
export async function sendPrinted(reply: FastifyReply, outcome: PrintOutcome, name: string): Promise<FastifyReply> {
  if (outcome.kind === 'refused') return sendProblem(reply, outcome.refusal);
  const { format, content } = outcome;
  const [type, ending] = CONTENT_TYPES[format];
  const policy =
    format === 'html'
      ? (await import('./render-html.ts')).htmlPolicy(Buffer.from(content).toString())
      : "default-src 'none'; frame-ancestors 'self'";
  return reply
    .type(type)
    .header('content-disposition', `inline; filename="${fileName(name)}.${ending}"`)
    .header('content-security-policy', policy)
    .send(typeof content === 'string' ? content : Buffer.from(content));
}

function fileName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, 100);
}
