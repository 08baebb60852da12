import PdfDocument from 'pdfkit';
import type { Page, PageItem, TextItem } from '../core/page.ts';
import { QR_QUIET, qrMatrix } from '../qr-matrix.ts';
import { FONT_FILES } from './fonts.ts';
import { PdfCutFonts } from './pdf-cut-fonts.ts';
import type { Typesetter } from './typesetter.ts';

export interface PdfFacts {
  readonly title: string;
  readonly author: string;
  /** Written into the file, so that the same receipt is the same file every time. */
  readonly date: Date;
}

type Pdf = PDFKit.PDFDocument;

export function drawPdf(
  pages: readonly Page[],
  logo: Uint8Array | undefined,
  facts: PdfFacts,
  typesetter: Typesetter,
): Promise<Uint8Array> {
  const pdf = new PdfDocument({
    autoFirstPage: false,
    lang: 'en',
    displayTitle: true,
    info: { Title: facts.title, Author: facts.author, Creator: 'Tillseal', CreationDate: facts.date },
  });
  const chunks: Buffer[] = [];
  const whole = new Promise<Uint8Array>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
    pdf.on('end', () => resolve(Buffer.concat(chunks)));
    pdf.on('error', reject);
  });
  for (const [name, file] of Object.entries(FONT_FILES)) pdf.registerFont(name, file);
  const cutFonts = new PdfCutFonts(pdf);
  // Opened once, so that every page refers to the same picture.
  const image = logo && Buffer.from(logo);
  for (const page of pages) {
    pdf.addPage({ size: [page.width, page.height], margin: 0 });
    for (const item of page.items) {
      if (item.kind === 'text') drawText(pdf, item, typesetter, cutFonts);
      else drawItem(pdf, item, image);
    }
  }
  cutFonts.finish();
  pdf.end();
  return whole;
}

function drawText(pdf: Pdf, item: TextItem, typesetter: Typesetter, cutFonts: PdfCutFonts): void {
  const { size, baseline, align, room } = item;
  pdf
    .font(item.font)
    .fontSize(size)
    .fillColor(item.isFaint ? '#555555' : '#000000');
  const pieces = typesetter.runsOf(item.text, item.font).map((run) => ({
    run,
    width: run.kind === 'own' ? pdf.widthOfString(run.text) : (run.shaped.width / run.font.unitsPerEm) * size,
  }));
  const natural = pieces.reduce((sum, { width }) => sum + width, 0);
  const squeeze = room !== undefined && natural > room ? room / natural : 1;
  let x = item.x - natural * squeeze * { left: 0, middle: 0.5, right: 1 }[align];
  if (squeeze < 1) {
    pdf.save().transform(squeeze, 0, 0, 1, x, 0);
    x = 0;
  }
  // Glyphs are no letters: the text itself stands behind them, so that it can be searched and copied.
  const isShaped = pieces.some(({ run }) => run.kind === 'cut');
  if (isShaped) pdf.markContent('Span', { actual: item.text });
  for (const { run, width } of pieces) {
    if (run.kind === 'own') pdf.text(run.text, x, baseline, { lineBreak: false, baseline: 'alphabetic' });
    else cutFonts.draw(run.text, run.font, run.shaped, x, baseline, size);
    x += width;
  }
  if (isShaped) pdf.endMarkedContent();
  if (squeeze < 1) pdf.restore();
}

function drawItem(pdf: Pdf, item: Exclude<PageItem, TextItem>, logo: Buffer | undefined): void {
  switch (item.kind) {
    case 'line':
      pdf.lineWidth(0.6).strokeColor(item.isDashed ? '#000000' : '#999999');
      if (item.isDashed) pdf.dash(2, { space: 2 });
      pdf.moveTo(item.x, item.y).lineTo(item.toX, item.y).stroke().undash();
      return;
    case 'shade':
      pdf.rect(item.x, item.y, item.width, item.height).fill('#efefef');
      return;
    case 'qr':
      drawQr(pdf, item);
      return;
    case 'logo':
      if (logo !== undefined) pdf.image(logo, item.x, item.y, { width: item.width, height: item.height });
      return;
  }
}

function drawQr(pdf: Pdf, { x, y, size, content }: Extract<PageItem, { kind: 'qr' }>): void {
  const matrix = qrMatrix(content);
  const module = size / (matrix.size + 2 * QR_QUIET);
  for (const { row, column, length } of matrix.runs) {
    pdf.rect(x + (column + QR_QUIET) * module, y + (row + QR_QUIET) * module, length * module, module);
  }
  pdf.fill('#000000');
}
