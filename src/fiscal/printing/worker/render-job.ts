import { a4Pages } from '../core/a4-pages.ts';
import { oneColumnEach } from '../core/columns.ts';
import { mapTexts } from '../core/map-texts.ts';
import type { PaperRow } from '../core/paper-row.ts';
import type { PrintedDocument } from '../core/printed-document.ts';
import { receipt48Rows } from '../core/receipt-48.ts';
import { rollPages } from '../core/roll-pages.ts';
import type { Job, JobOutcome } from '../job.ts';
import { drawPdf } from './draw-pdf.ts';
import { drawPng } from './draw-png.ts';
import { encodeEscPos } from './encode-escpos.ts';
import { coveredText, measureText } from './fonts.ts';
import { flattenLogo } from './logo-pixels.ts';

/** Dots an inch in the pictures: those of a receipt printer on a roll, 144 on A4. */
const ROLL_ZOOM = 203 / 72;
const A4_ZOOM = 2;
const LOGO_PIXELS = 1200;
/** Two thirds of the 576 dots a line of an 80 mm printer has. */
const PRINTER_LOGO_DOTS = 384;

export async function renderJob(job: Job): Promise<JobOutcome> {
  if (job.format === 'escpos') return { kind: 'rendered', bytes: escPos(job) };
  const logo = job.logo && flattenLogo(job.logo.png, job.logo, LOGO_PIXELS);
  const picture = logo?.asPng();
  const pages = pagesOf(job, logo);
  if (job.format === 'pdf') return { kind: 'rendered', bytes: await drawPdf(pages, picture, job.facts) };
  const png = drawPng(pages, picture, job.content.kind === 'a4' ? A4_ZOOM : ROLL_ZOOM);
  return png === undefined ? { kind: 'too-large', pageCount: pages.length } : { kind: 'rendered', bytes: png };
}

function pagesOf({ content }: Job, logo: { width: number; height: number } | undefined) {
  if (content.kind === 'a4') {
    const document = mapTexts<PrintedDocument>(content.document, (text) => coveredText(text, 'regular', 'bold'));
    return a4Pages(document, logo, measureText);
  }
  const rows = rowsOf(content, (text) => coveredText(text, 'mono', 'monoBold'));
  return rollPages(rows, logo);
}

/** Changed before they are laid out: a character that becomes another may take another width. */
function rowsOf(content: Exclude<Job['content'], { kind: 'a4' }>, change: (text: string) => string): PaperRow[] {
  if (content.kind === 'rows') return [...mapTexts(content.rows, change)];
  return receipt48Rows(mapTexts<PrintedDocument>(content.document, change));
}

function escPos({ content, logo }: Job): Uint8Array {
  if (content.kind === 'a4') throw new Error('a receipt printer has no A4 paper');
  const pixels = logo && flattenLogo(logo.png, logo, PRINTER_LOGO_DOTS);
  return encodeEscPos(
    rowsOf(content, oneColumnEach),
    pixels && { data: new Uint8ClampedArray(pixels.pixels), width: pixels.width, height: pixels.height },
  );
}
