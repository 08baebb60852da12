import { createHash } from 'node:crypto';
import type { PrintForm } from '../../contract/fiscal/printing.ts';
import { halves, invoiceColumns, paymentFacts, subtotals, taxTable, titleLines } from './core/invoice-table.ts';
import { PAGE_FONT, RIGHT_TO_LEFT } from './core/page-font.ts';
import type { PaperRow } from './core/paper-rows.ts';
import type { Fact, Party, PrintedDocument } from './core/printed-document.ts';
import { receipt48Rows } from './core/receipt-48.ts';
import { QR_QUIET, qrMatrix, qrPath } from './qr-matrix.ts';

const STYLE = `
:root { color-scheme: light }
body { margin: 0; background: #e9e9e9; color: #000 }
main { background: #fff; box-sizing: border-box; margin: 1rem auto; box-shadow: 0 1px 6px #0003 }
.roll { width: calc(48ch + 4ch); max-width: 100%; padding: 2ch; font: 13px/1.35 "${PAGE_FONT}", "DejaVu Sans Mono", Consolas, Menlo, monospace }
.roll div { display: flex; justify-content: space-between; gap: 1ch; min-height: 1.35em; white-space: pre-wrap; overflow-wrap: anywhere }
.roll .centre { justify-content: center; text-align: center }
.roll .right { text-align: right; white-space: nowrap; flex: none }
.roll hr { border: 0; border-top: 1px dashed #000; margin: .5em 0 }
.roll img, .roll svg { display: block; margin: .5em auto; max-width: 60%; max-height: 12em }
.roll svg { width: 13em; max-height: none }
b { font-weight: 700 }
.a4 { width: 210mm; max-width: 100%; min-height: 297mm; padding: 14mm 15mm; font: 12px/1.45 "${PAGE_FONT}", "DejaVu Sans", Verdana, Arial, sans-serif }
.a4 .head { display: flex; gap: 1rem; align-items: flex-start }
.a4 .head > :first-child { flex: 1 }
.a4 .head svg { width: 32mm; height: 32mm; flex: none; margin: -3mm -3mm 0 0 }
.a4 .verify { text-align: right; overflow-wrap: break-word; max-width: 70mm }
.a4 .verify b { font-size: 15px }
.a4 h1 { font-size: 22px; margin: 0 0 .3em } .a4 img { max-height: 22mm; max-width: 70mm; display: block; margin-bottom: 4mm }
.a4 .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0 8mm; margin: 4mm 0; overflow-wrap: anywhere } .a4 .pair > * { min-width: 0 }
.a4 h2 { font-size: 10px; color: #555; margin: 0 } .a4 .name { font-size: 14px; font-weight: 700 }
.a4 dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 5mm; margin: 0; align-content: start } .a4 dt { color: #555 } .a4 dd { margin: 0 }
.a4 table { border-collapse: collapse; width: 100%; margin: 4mm 0 } .a4 th { background: #efefef; text-align: left; font-size: 10.5px }
.a4 th, .a4 td { padding: 1.2mm 1.5mm; vertical-align: top; overflow-wrap: break-word } .a4 .number { text-align: right; white-space: nowrap }
.a4 .scroll { overflow-x: auto }
.a4 .lines :is(th, td):nth-child(2) { width: 50%; min-width: 28mm } .a4 .lines { border-bottom: 1px solid #999 } .a4 thead { display: table-header-group } .a4 tr { break-inside: avoid }
.a4 .sums { break-inside: avoid } .a4 .sums dl { grid-template-columns: 1fr max-content } .a4 .sums dd { text-align: right } .a4 .sums dt { color: #000 }
.a4 .sums table { margin: 0 } .a4 .sums .total { font-size: 15px; font-weight: 700; background: #efefef; padding: 1mm 0 }
.a4 .remark { border-top: 1px solid #999; padding-top: 2mm; margin-top: 4mm; white-space: pre-line }
@media screen and (max-width: 180mm) { .a4 { padding: 5mm } .a4 .head { flex-wrap: wrap } .a4 .head > :first-child { flex: 1 1 100% } .a4 .verify { flex: 1; min-width: 45% } .a4 .pair { grid-template-columns: 1fr; gap: 4mm } .a4 table { font-size: 11px } }
@page { margin: 12mm } @page roll { size: 80mm auto; margin: 3mm } .roll { page: roll }
@media print { body { background: #fff } main { margin: 0; box-shadow: none; padding: 0 !important; width: auto !important; min-height: 0 !important } .roll { font-size: 7pt } }
`;

/** Nothing is loaded and nothing runs: styles, fonts and pictures are in the page. */
export function htmlPolicy(html: string): string {
  const styles = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(
    ([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  );
  return `default-src 'none'; style-src ${styles.join(' ')}; font-src data:; img-src data:; frame-ancestors 'self'`;
}

/** `fonts` is a style with the letters the reader's machine may lack. */
export function receiptHtml(
  document: PrintedDocument,
  form: PrintForm,
  logo: Uint8Array | undefined,
  fonts: string | undefined,
): string {
  const body =
    form === 'Receipt48'
      ? `<main class="roll">${rowsHtml(receipt48Rows(document), logo)}</main>`
      : `<main class="a4">${a4Html(document, logo)}</main>`;
  const title = `${document.title} ${document.facts[0]?.value ?? ''} ${document.seller.name}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${STYLE}</style>${fonts === undefined ? '' : `<style>${fonts}</style>`}</head>
<body>${body}</body></html>
`;
}

function rowsHtml(rows: readonly PaperRow[], logo: Uint8Array | undefined): string {
  return rows.map((row) => rowHtml(row, logo)).join('\n');
}

function rowHtml(row: PaperRow, logo: Uint8Array | undefined): string {
  switch (row.kind) {
    case 'rule':
      return '<hr>';
    case 'blank':
      return '<div></div>';
    case 'logo':
      return logoHtml(logo);
    case 'qr':
      return qrSvg(row.content);
    case 'centre':
      return `<div class="centre">${strong(row.text, row.isBold)}</div>`;
    case 'text': {
      const right = row.right === '' ? '' : `<span class="right">${strong(row.right, row.isBold)}</span>`;
      return `<div><span>${strong(row.left, row.isBold)}</span>${right}</div>`;
    }
  }
}

function a4Html(document: PrintedDocument, logo: Uint8Array | undefined): string {
  const { seller, buyer, original, verification } = document;
  const columns = invoiceColumns(document);
  const cell = (tag: 'td' | 'th', isNumber: boolean, ...lines: string[]) =>
    `<${tag}${isNumber ? ' class="number"' : ''}>${lines.map(written).join('<br>')}</${tag}>`;
  const row = (cells: readonly string[]) => `<tr>${cells.join('')}</tr>`;
  const [taxHead = [], ...taxRows] = taxTable(document);
  const taxCells = (tag: 'td' | 'th', cells: readonly string[]) =>
    row(cells.map((text, index) => cell(tag, index > 0, text)));
  return `<div class="head"><div>${logoHtml(logo)}<h1>${escaped(document.title)}</h1></div>
<div class="verify">Verification code<br><b>${verification.code}</b><br>${verification.text}<br>${escaped(verification.url)}</div>${qrSvg(verification.qrContent)}</div>
<div class="pair">${partyHtml('SELLER', seller)}${buyer === undefined ? '' : partyHtml('BUYER', buyer)}</div>
<div class="pair">${
    original === undefined
      ? halves(document.facts).map(factsHtml).join('')
      : `${factsHtml(document.facts)}<div><h2>${original.label}</h2>${factsHtml(original.facts)}</div>`
  }</div>
<div class="scroll"><table class="lines"><thead>${row(columns.map((column) => cell('th', column.isNumber, ...titleLines(column))))}</thead>
<tbody>${document.lines.map((line) => row(columns.map((column) => cell('td', column.isNumber, column.value(line))))).join('\n')}</tbody></table></div>
<div class="pair sums"><div>${taxHead.length === 0 ? '' : `<table>${taxCells('th', taxHead)}${taxRows.map((cells) => taxCells('td', cells)).join('')}</table>`}</div>
<div>${factsHtml(subtotals(document))}<dl class="total"><dt>${document.totalLabel}</dt><dd>${document.total}</dd></dl>${factsHtml([...paymentFacts(document), { label: 'Number of items', value: document.itemCount }])}</div></div>
${remarkHtml('NOTE', document.note)}${remarkHtml('', document.footer)}`;
}

function partyHtml(label: string, { name, lines }: Party): string {
  return `<div><h2>${label}</h2><div class="name">${written(name)}</div>${lines.map(written).join('<br>')}</div>`;
}

function factsHtml(facts: readonly Fact[]): string {
  return `<dl>${facts.map(({ label, value }) => `<dt>${escaped(label)}</dt><dd>${written(value)}</dd>`).join('')}</dl>`;
}

function remarkHtml(label: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return `<div class="remark">${label === '' ? '' : `<h2>${label}</h2>`}${lines.map(written).join('\n')}</div>`;
}

function logoHtml(logo: Uint8Array | undefined): string {
  return logo === undefined ? '' : `<img alt="" src="data:image/png;base64,${Buffer.from(logo).toString('base64')}">`;
}

function qrSvg(content: string): string {
  const matrix = qrMatrix(content);
  const side = matrix.size + 2 * QR_QUIET;
  return `<svg role="img" aria-label="QR code of the verification page" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${qrPath(matrix)}"/></svg>`;
}

const strong = (text: string, isBold: boolean) => (isBold ? `<b>${written(text)}</b>` : written(text));

/** In the direction it is written in, without turning what stands beside it. */
function written(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `<bdi>${escaped(text)}</bdi>` : escaped(text);
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
