import { a4Pages } from '../core/a4-pages.ts';
import { mapTexts, textsIn } from '../core/map-texts.ts';
import type { PaperRow } from '../core/paper-row.ts';
import { receipt48Rows } from '../core/receipt-48.ts';
import { reportRows } from '../core/report-rows.ts';
import { rollPages, rowPage } from '../core/roll-pages.ts';
import type { Job, JobOutcome } from '../job.ts';
import { drawPdf } from './draw-pdf.ts';
import { drawPixels, drawPng } from './draw-png.ts';
import { encodeEscPos, PRINTER_DOTS } from './encode-escpos.ts';
import { flattenLogo } from './logo-pixels.ts';
import { Typesetter } from './typesetter.ts';

/** Dots an inch in the pictures: those of a receipt printer on a roll, 144 on A4. */
const ROLL_ZOOM = 203 / 72;
const A4_ZOOM = 2;
const LOGO_PIXELS = 1200;
/** Two thirds of the dots a line of an 80 mm printer has. */
const PRINTER_LOGO_DOTS = 384;

export async function renderJob(job: Job): Promise<JobOutcome> {
  const { content } = job;
  if (job.format === 'fonts') {
    const { htmlFonts } = await import('./html-fonts.ts');
    return { kind: 'rendered', bytes: Buffer.from(await htmlFonts(textsIn(content))) };
  }
  const own = content.kind === 'a4' ? (['regular', 'bold'] as const) : (['mono', 'monoBold'] as const);
  const typesetter = await Typesetter.prepare(own, textsIn(content), boldTexts(content));
  if (job.format === 'escpos') return { kind: 'rendered', bytes: escPos(job, typesetter) };
  const logo = job.logo && flattenLogo(job.logo.png, job.logo, LOGO_PIXELS);
  const picture = logo?.asPng();
  const pages = pagesOf(job, logo, typesetter);
  if (job.format === 'pdf') return { kind: 'rendered', bytes: await drawPdf(pages, picture, job.facts, typesetter) };
  const png = drawPng(pages, picture, content.kind === 'a4' ? A4_ZOOM : ROLL_ZOOM, typesetter);
  return png === undefined ? { kind: 'too-large', pageCount: pages.length } : { kind: 'rendered', bytes: png };
}

/** Of what a sender wrote, only names are printed bold. */
function boldTexts(content: Job['content']): string[] {
  if (content.kind === 'report') return [content.report.seller.name];
  const { title, seller, buyer } = content.document;
  return [title, seller.name, buyer?.name ?? ''];
}

function pagesOf({ content }: Job, logo: { width: number; height: number } | undefined, typesetter: Typesetter) {
  if (content.kind !== 'a4') return rollPages(rowsOf(content, typesetter), logo);
  const document = mapTexts(content.document, (text) => typesetter.covered(text));
  return a4Pages(document, logo, typesetter.measure);
}

function rowsOf(content: Exclude<Job['content'], { kind: 'a4' }>, typesetter: Typesetter): PaperRow[] {
  const covered = (text: string) => typesetter.covered(text);
  if (content.kind === 'report') return reportRows(mapTexts(content.report, covered), typesetter.columns);
  return receipt48Rows(mapTexts(content.document, covered), typesetter.columns);
}

function escPos({ content, logo }: Job, typesetter: Typesetter): Uint8Array {
  if (content.kind === 'a4') throw new Error('a receipt printer has no A4 paper');
  const pixels = logo && flattenLogo(logo.png, logo, PRINTER_LOGO_DOTS);
  return encodeEscPos(
    rowsOf(content, typesetter),
    pixels && { data: new Uint8ClampedArray(pixels.pixels), width: pixels.width, height: pixels.height },
    (row) => {
      const page = rowPage(row);
      return drawPixels(page, PRINTER_DOTS / page.width, typesetter);
    },
  );
}
