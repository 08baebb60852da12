import type { Pool } from 'pg';
import type { PrintFormat, PrintQuery } from '../../contract/fiscal/printing.ts';
import { verification } from '../../fdms/index.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import { formatWall } from '../../kernel/zone.ts';
import type { SealedReceipt } from '../sealed/sealed-receipt.ts';
import type { StoredReceipt } from '../sealed/store.ts';
import { textsIn } from './core/map-texts.ts';
import { isReadEverywhere } from './core/page-font.ts';
import type { PrintedSeal } from './core/printed-document.ts';
import type { Job, PrintSource } from './job.ts';
import { makeDocument } from './make-document.ts';
import { documentText } from './render-text.ts';
import type { RenderedFor, Renderer } from './renderer.ts';
import { findBodyBytes, findPrintSettings, findReceiptFacts } from './store.ts';

export interface PrintContext {
  readonly pool: Pool;
  readonly renderer: Renderer;
}

export type PrintOutcome =
  | { readonly kind: 'printed'; readonly format: PrintFormat; readonly content: string | Uint8Array }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** About sixty lines. Reading a thousand takes the thread that seals tens of milliseconds, writing them as text hundreds. */
const SHORT_BYTES = 8000;

/**
 * Why a receipt cannot be drawn now, before it is read: a long one is over a hundred kilobytes, and who is told to wait
 * asks again.
 */
export async function refusalBeforeReading(
  { pool, renderer }: PrintContext,
  taxpayerId: string,
  reference: string,
): Promise<Refusal | undefined> {
  if (!renderer.isFullOfLong(taxpayerId)) return undefined;
  return (await findBodyBytes(pool, taxpayerId, reference)) > SHORT_BYTES ? OWN_WAITING : undefined;
}

/** A stored receipt as it is handed to a customer. The same receipt prints the same, whenever it is asked for. */
export async function printReceipt(
  { pool, renderer }: PrintContext,
  { taxpayerId, sealed }: StoredReceipt,
  { format = 'pdf', form }: PrintQuery,
  isWanted: () => boolean,
): Promise<PrintOutcome> {
  // A receipt printer prints rolls, even for a receipt meant for A4; only a request for both is refused.
  if (format === 'escpos' && form === 'InvoiceA4') return { kind: 'refused', refusal: NO_A4_PRINTER };
  const [facts, { logo, footer, hasFiscalNoteTitles }] = await Promise.all([
    findReceiptFacts(pool, { taxpayerId, deviceId: sealed.deviceId, globalCounter: sealed.globalCounter }),
    findPrintSettings(pool, taxpayerId),
  ]);
  if (facts === undefined) throw new Error(`receipt ${sealed.globalCounter} of device ${sealed.deviceId} is not there`);
  const source: PrintSource = { body: sealed.body, seal: sealOf(sealed), ...facts, footer, hasFiscalNoteTitles };
  const content = { kind: 'receipt', source, form: format === 'escpos' ? 'Receipt48' : form } as const;
  const isLong = Buffer.byteLength(sealed.body) > SHORT_BYTES;
  const job: Job = { format, content, logo, date: sealed.sealedAt };
  return (isLong ? undefined : await printAtOnce(job)) ?? draw(renderer, job, { taxpayerId, isLong, isWanted });
}

/** What of a short receipt takes next to no time: its text, and its page where the reader has all letters. */
async function printAtOnce({ format, content, logo }: Job): Promise<PrintOutcome | undefined> {
  if (content.kind !== 'receipt' || (format !== 'text' && format !== 'html')) return undefined;
  const { document, form } = makeDocument(content.source, content.form);
  if (format === 'text') return { kind: 'printed', format, content: documentText(document, form) };
  if (!textsIn(document).every(isReadEverywhere)) return undefined;
  const { receiptHtml } = await import('./render-html.ts');
  return { kind: 'printed', format, content: receiptHtml(document, form, logo?.png, undefined) };
}

function sealOf(sealed: SealedReceipt): PrintedSeal {
  const { deviceId, serialNumber, fiscalDayNumber, fiscalDayCounter, globalCounter, qrUrl } = sealed;
  const date = formatWall(sealed.wallSeconds);
  const printed = { deviceId, serialNumber, fiscalDayNumber, fiscalDayCounter, globalCounter, qrUrl, date };
  return { ...printed, ...verification({ ...sealed, date }) };
}

/** In a process beside this one; refused when too much waits for it, or when no picture can be made of so long a receipt. */
export async function draw(renderer: Renderer, job: Job, who: RenderedFor): Promise<PrintOutcome> {
  const outcome = await renderer.render(job, who);
  if (outcome.kind === 'holder-full') return { kind: 'refused', refusal: OWN_WAITING };
  if (outcome.kind === 'full') return { kind: 'refused', refusal: BUSY };
  if (outcome.kind === 'too-large') return { kind: 'refused', refusal: tooLong(outcome.pageCount) };
  return { kind: 'printed', format: job.format, content: outcome.bytes };
}

const OWN_WAITING: Refusal = {
  code: 'RateLimited',
  detail:
    'As many documents of this taxpayer are waiting to be drawn as may. Ask for this one when some of them are there.',
  retryAfterSeconds: 2,
};

const BUSY: Refusal = {
  code: 'Overloaded',
  detail: 'Too many documents are waiting to be drawn. Try again shortly.',
  retryAfterSeconds: 2,
};

const NO_A4_PRINTER: Refusal = {
  code: 'InvalidRequest',
  detail: 'The query has errors.',
  errors: [
    {
      Field: 'form',
      Code: 'NotOneOf',
      Message: 'must be Receipt48 or left out with format=escpos: the commands are for a printer of 80 mm paper',
    },
  ],
};

function tooLong(pageCount: number): Refusal {
  const pages = pageCount === 1 ? 'so long a roll' : `${pageCount} pages`;
  return {
    code: 'InvalidRequest',
    detail: 'The query has errors.',
    errors: [
      { Field: 'format', Code: 'TooLarge', Message: `${pages} cannot be drawn as a picture: ask for format=pdf` },
    ],
  };
}
