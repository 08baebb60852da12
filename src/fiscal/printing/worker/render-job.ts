import { a4Pages } from '../core/a4-pages.ts';
import { mapTexts, textsIn } from '../core/map-texts.ts';
import { isReadEverywhere } from '../core/page-font.ts';
import type { PaperRow } from '../core/paper-rows.ts';
import type { PrintedDocument } from '../core/printed-document.ts';
import { receipt48Rows } from '../core/receipt-48.ts';
import { type PrintedReport, reportRows } from '../core/report-rows.ts';
import { rollPages, rowPage } from '../core/roll-pages.ts';
import type { Job, JobOutcome } from '../job.ts';
import { type MadeDocument, makeDocument } from '../make-document.ts';
import { documentText } from '../render-text.ts';
import { drawPdf } from './draw-pdf.ts';
import { drawPixels, drawPng, flattenLogo } from './draw-png.ts';
import { encodeEscPos, PRINTER_DOTS } from './encode-escpos.ts';
import { Typesetter } from './typesetter.ts';

/** Dots an inch in the pictures: those of a receipt printer on a roll, 144 on A4. */
const ROLL_ZOOM = 203 / 72;
const A4_ZOOM = 2;
const LOGO_PIXELS = 1200;
/** Two thirds of the dots a line of an 80 mm printer has. */
const PRINTER_LOGO_DOTS = 384;

export async function renderJob(job: Job): Promise<JobOutcome> {
  const { content, format } = job;
  if (content.kind === 'report') return drawContent(job, content);
  const made = makeDocument(content.source, content.form);
  if (format === 'text') return rendered(documentText(made.document, made.form));
  if (format === 'html') return rendered(await pageWithFonts(made, job));
  const { title, facts, seller } = made.document;
  return drawContent(job, {
    kind: made.form === 'InvoiceA4' ? 'a4' : 'roll',
    document: made.document,
    title: `${title} ${facts[0]?.value ?? ''}`,
    author: seller.name,
  });
}

const rendered = (text: string): JobOutcome => ({ kind: 'rendered', bytes: Buffer.from(text) });

/** With fonts of its own only where the reader's may lack letters. */
async function pageWithFonts({ document, form }: MadeDocument, { logo }: Job): Promise<string> {
  const { receiptHtml } = await import('../render-html.ts');
  const texts = textsIn(document);
  if (texts.every(isReadEverywhere)) return receiptHtml(document, form, logo?.png, undefined);
  const { htmlFonts } = await import('./html-fonts.ts');
  return receiptHtml(document, form, logo?.png, await htmlFonts(texts));
}

/** What is drawn, on paper of one kind. */
type Drawing =
  | {
      readonly kind: 'roll' | 'a4';
      readonly document: PrintedDocument;
      readonly title: string;
      readonly author: string;
    }
  | { readonly kind: 'report'; readonly report: PrintedReport; readonly title: string };

export async function drawContent(job: Omit<Job, 'content'>, drawing: Drawing): Promise<JobOutcome> {
  const { format, date } = job;
  const own = drawing.kind === 'a4' ? (['regular', 'bold'] as const) : (['mono', 'monoBold'] as const);
  const typesetter = await Typesetter.prepare(own, textsIn(drawing), boldTexts(drawing));
  if (format === 'escpos') return { kind: 'rendered', bytes: escPos(job, drawing, typesetter) };
  const logo = job.logo && flattenLogo(job.logo.png, job.logo, LOGO_PIXELS);
  const picture = logo?.asPng();
  const pages = pagesOf(drawing, logo, typesetter);
  if (format === 'pdf') {
    const author = drawing.kind === 'report' ? drawing.report.seller.name : drawing.author;
    return {
      kind: 'rendered',
      bytes: await drawPdf(pages, picture, { title: drawing.title, author, date }, typesetter),
    };
  }
  const png = drawPng(pages, picture, drawing.kind === 'a4' ? A4_ZOOM : ROLL_ZOOM, typesetter);
  return png === undefined ? { kind: 'too-large', pageCount: pages.length } : { kind: 'rendered', bytes: png };
}

/** Of what a sender wrote, only names are printed bold. */
function boldTexts(drawing: Drawing): string[] {
  if (drawing.kind === 'report') return [drawing.report.seller.name];
  const { title, seller, buyer } = drawing.document;
  return [title, seller.name, buyer?.name ?? ''];
}

function pagesOf(drawing: Drawing, logo: { width: number; height: number } | undefined, typesetter: Typesetter) {
  if (drawing.kind !== 'a4') return rollPages(rowsOf(drawing, typesetter), logo);
  const document = mapTexts(drawing.document, (text) => typesetter.covered(text));
  return a4Pages(document, logo, typesetter.measure);
}

function rowsOf(drawing: Drawing, typesetter: Typesetter): PaperRow[] {
  const covered = (text: string) => typesetter.covered(text);
  if (drawing.kind === 'report') return reportRows(mapTexts(drawing.report, covered), typesetter.columns);
  return receipt48Rows(mapTexts(drawing.document, covered), typesetter.columns);
}

function escPos({ logo }: Pick<Job, 'logo'>, drawing: Drawing, typesetter: Typesetter): Uint8Array {
  if (drawing.kind === 'a4') throw new Error('a receipt printer has no A4 paper');
  const pixels = logo && flattenLogo(logo.png, logo, PRINTER_LOGO_DOTS);
  return encodeEscPos(
    rowsOf(drawing, typesetter),
    pixels && { data: new Uint8ClampedArray(pixels.pixels), width: pixels.width, height: pixels.height },
    (row) => {
      const page = rowPage(row);
      return drawPixels(page, PRINTER_DOTS / page.width, typesetter);
    },
  );
}
