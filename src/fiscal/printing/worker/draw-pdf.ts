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
      const pieces = piecesOf(item.text).map((text) => ({ text, width: pdf.widthOfString(text) }));
      const width = pieces.reduce((sum, piece) => sum + piece.width, 0);
      let x = item.x - (item.align === 'left' ? 0 : item.align === 'right' ? width : width / 2);
      for (const piece of pieces) {
        pdf.text(piece.text, x, item.baseline, { lineBreak: false, baseline: 'alphabetic' });
        x += piece.width;
      }
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

const RIGHT_TO_LEFT = '[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc]+';
const RUNS = new RegExp(`(${RIGHT_TO_LEFT}(?: ${RIGHT_TO_LEFT})*)`);

/**
 * A text in pieces of one direction. The library shapes word by word and draws the words from left to right: those of a script that
 * runs the other way are tied together with spaces that do not end a word, so that it turns all of them at once.
 */
function piecesOf(text: string): string[] {
  return text
    .split(RUNS)
    .map((piece, index) => (index % 2 === 1 ? piece.replaceAll(' ', '\u00a0') : piece))
    .filter((piece) => piece !== '');
}

function drawQr(pdf: Pdf, { x, y, size, content }: Extract<PageItem, { kind: 'qr' }>): void {
  const matrix = qrMatrix(content);
  const module = size / (matrix.size + 2 * QR_QUIET);
  for (const { row, column, length } of matrix.runs) {
    pdf.rect(x + (column + QR_QUIET) * module, y + (row + QR_QUIET) * module, length * module, module);
  }
  pdf.fill('#000000');
}
