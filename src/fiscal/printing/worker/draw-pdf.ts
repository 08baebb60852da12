import PdfDocument from 'pdfkit';
import type { Page, PageItem } from '../core/page.ts';
import { QR_QUIET, qrMatrix } from '../qr-matrix.ts';
import { FONT_FILES } from './fonts.ts';

export interface PdfFacts {
  readonly title: string;
  readonly author: string;
  /** Written into the file, so that the same receipt is the same file every time. */
  readonly date: Date;
}

type Pdf = PDFKit.PDFDocument;

export function drawPdf(pages: readonly Page[], logo: Uint8Array | undefined, facts: PdfFacts): Promise<Uint8Array> {
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
  // Opened once, so that every page refers to the same picture.
  const image = logo && Buffer.from(logo);
  for (const page of pages) {
    pdf.addPage({ size: [page.width, page.height], margin: 0 });
    for (const item of page.items) drawItem(pdf, item, image);
  }
  pdf.end();
  return whole;
}

function drawItem(pdf: Pdf, item: PageItem, logo: Buffer | undefined): void {
  switch (item.kind) {
    case 'text': {
      pdf
        .font(item.font)
        .fontSize(item.size)
        .fillColor(item.isFaint ? '#555555' : '#000000');
      const text = inDrawingOrder(item.text);
      const width = item.align === 'left' ? 0 : pdf.widthOfString(text);
      const x = item.x - (item.align === 'right' ? width : width / 2);
      pdf.text(text, x, item.baseline, { lineBreak: false, baseline: 'alphabetic' });
      return;
    }
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

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** The library shapes each word of a script that runs from right to left, and then draws the words from left to right. */
function inDrawingOrder(text: string): string {
  if (!RIGHT_TO_LEFT.test(text)) return text;
  const runs: string[][] = [];
  let isRun = false;
  for (const word of text.split(' ')) {
    if (isRun && RIGHT_TO_LEFT.test(word)) runs.at(-1)?.unshift(word);
    else runs.push([word]);
    isRun = RIGHT_TO_LEFT.test(word);
  }
  return runs.flat().join(' ');
}

function drawQr(pdf: Pdf, { x, y, size, content }: Extract<PageItem, { kind: 'qr' }>): void {
  const matrix = qrMatrix(content);
  const module = size / (matrix.size + 2 * QR_QUIET);
  for (const { row, column, length } of matrix.runs) {
    pdf.rect(x + (column + QR_QUIET) * module, y + (row + QR_QUIET) * module, length * module, module);
  }
  pdf.fill('#000000');
}
