import type { Pool } from 'pg';
import type { Refusal } from '../../kernel/refusal.ts';
import { formatWall } from '../../kernel/zone.ts';
import { parseExactJson } from '../../platform/http/exact-json.ts';
import { readReceipt } from '../core/read-receipt.ts';
import type { Receipt } from '../core/receipt.ts';
import type { WireReceipt } from '../core/receipt-schema.ts';
import { verification } from '../core/verification.ts';
import type { StoredReceipt } from '../receipts/store.ts';
import { a4Text } from './core/a4-text.ts';
import { textsIn } from './core/map-texts.ts';
import { isReadEverywhere } from './core/page-font.ts';
import { type OriginalFacts, PRINT_FORMS, type PrintedDocument, type PrintForm } from './core/printed-document.ts';
import { receipt48Rows } from './core/receipt-48.ts';
import { receiptDocument } from './core/receipt-document.ts';
import type { Job, Logo } from './job.ts';
import type { PrintFormat, PrintQuery } from './print-format.ts';
import { rowsText } from './render-text.ts';
import type { Renderer } from './renderer.ts';
import { findPrintSettings, findReceiptFacts, type ReceiptFacts } from './store.ts';

export interface PrintContext {
  readonly pool: Pool;
  readonly renderer: Renderer;
}

export type PrintOutcome =
  | { readonly kind: 'printed'; readonly format: PrintFormat; readonly content: string | Uint8Array }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** A stored receipt as it is handed to a customer. The same receipt prints the same, whenever it is asked for. */
export async function printReceipt(
  { pool, renderer }: PrintContext,
  { taxpayerId, sealed }: StoredReceipt,
  query: PrintQuery,
): Promise<PrintOutcome> {
  const { format = 'pdf' } = query;
  const json = parseExactJson(Buffer.from(sealed.body));
  const receipt = readReceipt(json.value as WireReceipt, json.decimal);
  const form = formOf(query, receipt);
  if (form === undefined) return { kind: 'refused', refusal: NO_A4_PRINTER };
  const [facts, settings] = await Promise.all([
    findReceiptFacts(pool, { taxpayerId, deviceId: sealed.deviceId, globalCounter: sealed.globalCounter }),
    findPrintSettings(pool, taxpayerId),
  ]);
  if (facts === undefined) throw new Error(`receipt ${sealed.globalCounter} of device ${sealed.deviceId} is not there`);
  const date = formatWall(sealed.wallSeconds);
  const { qrContent, verificationCode } = verification({ ...sealed, date });
  const document = receiptDocument(
    {
      receipt,
      seal: { ...sealed, date, qrContent, verificationCode },
      seller: facts.seller,
      original: originalOf(facts, receipt),
      footer: settings.footer,
    },
    form,
  );
  if (format === 'text')
    return printed(format, form === 'InvoiceA4' ? a4Text(document) : rowsText(receipt48Rows(document)));
  if (format === 'html') return printHtml(renderer, document, form, settings.logo);
  return draw(renderer, jobOf(format, form, document, settings.logo, sealed.sealedAt));
}

/** With fonts of its own only where the reader's may lack letters. */
async function printHtml(
  renderer: Renderer,
  document: PrintedDocument,
  form: PrintForm,
  logo: Logo | undefined,
): Promise<PrintOutcome> {
  const { receiptHtml } = await import('./render-html.ts');
  if (textsIn(document).every(isReadEverywhere)) {
    return printed('html', receiptHtml(document, form, logo?.png, undefined));
  }
  const fonts = await draw(renderer, jobOf('fonts', form, document, undefined, new Date(0)));
  if (fonts.kind === 'refused') return fonts;
  const style = Buffer.from(fonts.content).toString();
  return printed('html', receiptHtml(document, form, logo?.png, style));
}

/** A receipt printer prints rolls, also of what was meant for A4; only who asks for both at once is told. */
function formOf({ format, form }: PrintQuery, receipt: Receipt): PrintForm | undefined {
  if (format === 'escpos') return form === 'InvoiceA4' ? undefined : 'Receipt48';
  return form ?? PRINT_FORMS.find((own) => own === receipt.ReceiptPrintForm) ?? 'Receipt48';
}

/** Of an invoice that was sealed elsewhere only what the note itself says is known. */
function originalOf({ original }: ReceiptFacts, receipt: Receipt): OriginalFacts | undefined {
  return (
    original && {
      ...original,
      reference: original.reference ?? receipt.OriginalReference ?? '',
      fiscalDayNumber: original.fiscalDayNumber ?? receipt.OriginalFiscalDayNumber,
    }
  );
}

function jobOf(
  format: Job['format'],
  form: PrintForm,
  document: PrintedDocument,
  logo: Logo | undefined,
  date: Date,
): Job {
  return {
    format,
    content: { kind: form === 'InvoiceA4' ? 'a4' : 'roll', document },
    logo,
    facts: { title: `${document.title} ${document.facts[0]?.value ?? ''}`, author: document.seller.name, date },
  };
}

/** In the rendering thread; refused when too much waits for it, or when no picture can be made of so long a receipt. */
export async function draw(renderer: Renderer, job: Job): Promise<PrintOutcome> {
  const outcome = await renderer.render(job);
  if (outcome.kind === 'busy') return { kind: 'refused', refusal: BUSY };
  if (outcome.kind === 'too-large') return { kind: 'refused', refusal: tooLong(outcome.pageCount) };
  return printed(job.format === 'fonts' ? 'html' : job.format, outcome.bytes);
}

const printed = (format: PrintFormat, content: string | Uint8Array): PrintOutcome => ({
  kind: 'printed',
  format,
  content,
});

const BUSY: Refusal = {
  code: 'Overloaded',
  detail: 'Too many documents are waiting to be drawn. Try again shortly.',
  retryAfterSeconds: 1,
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
    errors: [{ Field: 'format', Code: 'TooLarge', Message: `no picture can be made of ${pages}: ask for format=pdf` }],
  };
}
