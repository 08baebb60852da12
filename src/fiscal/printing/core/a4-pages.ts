import { A4Sheet, LEFT, RIGHT } from './a4-sheet.ts';
import { drawTable } from './a4-table.ts';
import { wrapText } from './columns.ts';
import { halves, invoiceColumns, paymentFacts, subtotals, taxTable } from './invoice-table.ts';
import { fitLogo, type LogoSize, type MeasureText, type Page } from './page.ts';
import type { Fact, Party, PrintedDocument } from './printed-document.ts';

const TEXT = 8.5;
const QR_SIZE = 92;
const MIDDLE = LEFT + (RIGHT - LEFT) / 2;

/** An invoice on as many A4 pages as it takes: specification §10.2. Verification at the top, seller and buyer side by side. */
export function a4Pages(document: PrintedDocument, logo: LogoSize | undefined, measure: MeasureText): Page[] {
  const sheet = new A4Sheet(measure);
  drawHead(sheet, document, logo);
  drawParties(sheet, document);
  drawFacts(sheet, document);
  drawTable(sheet, invoiceColumns(document), document.lines);
  drawTotals(sheet, document);
  drawRemarks(sheet, document);
  return sheet.finish(`${document.title}   ${document.facts[0]?.value ?? ''}   ${document.seller.name}`);
}

/** Logo and title at the left; code, QR and where to verify at the right. */
function drawHead(sheet: A4Sheet, { title, verification }: PrintedDocument, logo: LogoSize | undefined): void {
  const top = sheet.y;
  if (logo !== undefined) {
    const { width, height } = fitLogo(logo, 200, 60);
    sheet.draw({ kind: 'logo', x: LEFT, y: top, width, height });
  }
  sheet.text(title, { y: top + (logo === undefined ? 24 : 86), size: 17, font: 'bold' });
  sheet.draw({ kind: 'qr', x: RIGHT - QR_SIZE, y: top - 4, size: QR_SIZE, content: verification.qrContent });
  const x = RIGHT - QR_SIZE - 12;
  sheet.text('Verification code', { x, y: top + 24, align: 'right', isFaint: true });
  sheet.text(verification.code, { x, y: top + 37, align: 'right', size: 11, font: 'bold' });
  sheet.text(verification.text, { x, y: top + 55, align: 'right', isFaint: true });
  const room = x - LEFT - 210;
  sheet.wrap(verification.url, room).forEach((line, index) => {
    sheet.text(line, { x, y: top + 66 + index * 11, align: 'right' });
  });
  sheet.y = top + QR_SIZE + 10;
}

function drawParties(sheet: A4Sheet, { seller, buyer }: PrintedDocument): void {
  const top = sheet.y;
  const width = MIDDLE - LEFT - 12;
  const ends = [
    drawParty(sheet, 'SELLER', seller, LEFT, top, width),
    buyer === undefined ? top : drawParty(sheet, 'BUYER', buyer, MIDDLE + 12, top, width),
  ];
  sheet.y = Math.max(...ends) + 6;
}

function drawParty(sheet: A4Sheet, label: string, party: Party, x: number, top: number, width: number): number {
  let y = top + 10;
  sheet.text(label, { x, y, size: 7.5, font: 'bold', isFaint: true });
  for (const line of sheet.wrap(party.name, width, 10.5, 'bold')) {
    y += 14;
    sheet.text(line, { x, y, size: 10.5, font: 'bold' });
  }
  for (const line of party.lines.flatMap((text) => sheet.wrap(text, width))) {
    y += 11.5;
    sheet.text(line, { x, y });
  }
  return y + 6;
}

/** The receipt's facts at the left, those of a note's original at the right. */
function drawFacts(sheet: A4Sheet, { facts, original }: PrintedDocument): void {
  sheet.line(sheet.y);
  const top = sheet.y + 4;
  const half = MIDDLE - LEFT - 12;
  if (original === undefined) {
    const ends = halves(facts).map((part, index) =>
      drawFactList(sheet, part, index === 0 ? LEFT : MIDDLE + 12, top, half),
    );
    sheet.y = Math.max(...ends) + 8;
  } else {
    sheet.text(original.label, { x: MIDDLE + 12, y: top + 11, size: TEXT, font: 'bold' });
    const ends = [
      drawFactList(sheet, facts, LEFT, top, half),
      drawFactList(sheet, original.facts, MIDDLE + 12, top + 13, half),
    ];
    sheet.y = Math.max(...ends) + 8;
  }
}

function drawFactList(sheet: A4Sheet, facts: readonly Fact[], x: number, top: number, width: number): number {
  const labelWidth = 108;
  let y = top;
  for (const { label, value } of facts) {
    const lines = sheet.wrap(value, width - labelWidth);
    sheet.text(label, { x, y: y + 11, isFaint: true });
    for (const line of lines) {
      y += 12;
      sheet.text(line, { x: x + labelWidth, y: y - 1 });
    }
  }
  return y;
}

/** The tax table at the left, what is to be paid at the right; never torn apart by the end of a page. */
function drawTotals(sheet: A4Sheet, document: PrintedDocument): void {
  const taxes = taxTable(document);
  const sums = subtotals(document);
  const payments = paymentFacts(document);
  const height = Math.max(taxes.length * 13, sums.length * 13 + 26 + payments.length * 12 + 12) + 16;
  sheet.need(height);
  const top = sheet.y + 6;
  const taxColumns = [LEFT, LEFT + 105, LEFT + 175, LEFT + 250];
  taxes.forEach((cells, row) => {
    cells.forEach((cell, column) => {
      sheet.text(cell, {
        x: taxColumns[column] ?? LEFT,
        y: top + 10 + row * 13,
        align: column === 0 ? 'left' : 'right',
        size: row === 0 ? 7.5 : TEXT,
        isFaint: row === 0,
      });
    });
  });
  let y = top;
  const x = MIDDLE + 30;
  const pair = (
    { label, value }: Fact,
    step: number,
    style: { size?: number; font?: 'bold'; isFaint?: boolean } = {},
  ) => {
    y += step;
    sheet.text(label, { x, y: y - 3, ...style });
    sheet.text(value, { x: RIGHT - 4, y: y - 3, align: 'right', ...style });
  };
  for (const fact of sums) pair(fact, 13);
  sheet.shade(x - 6, y + 3, RIGHT - x + 6, 20);
  y += 6;
  const total = { label: document.totalLabel, value: document.total };
  pair(total, 14, { size: 11, font: 'bold' });
  y += 6;
  for (const fact of payments) pair(fact, 12);
  pair({ label: 'Number of items', value: document.itemCount }, 12, { isFaint: true });
  sheet.y = Math.max(y, top + taxes.length * 13) + 10;
}

function drawRemarks(sheet: A4Sheet, { note, footer }: PrintedDocument): void {
  const paragraph = (label: string, lines: readonly string[], isFaint: boolean) => {
    if (lines.length === 0) return;
    const wrapped = lines.flatMap((line) =>
      wrapText(line, RIGHT - LEFT, (text) => sheet.measure(text, 'regular', TEXT)),
    );
    sheet.need(30);
    sheet.line(sheet.y);
    sheet.y += 6;
    if (label !== '') {
      sheet.y += 10;
      sheet.text(label, { y: sheet.y, size: 7.5, font: 'bold', isFaint: true });
    }
    for (const line of wrapped) {
      sheet.need(14);
      sheet.y += 11.5;
      sheet.text(line, { y: sheet.y, isFaint });
    }
    sheet.y += 10;
  };
  paragraph('NOTE', note, false);
  paragraph('', footer, true);
}
