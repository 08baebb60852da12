import type { PrintForm } from '../../contract/fiscal/printing.ts';
import { a4Text } from './core/a4-text.ts';
import { centred, columnsOf, padRight } from './core/columns.ts';
import { PAPER_COLUMNS, type PaperRow } from './core/paper-rows.ts';
import type { PrintedDocument } from './core/printed-document.ts';
import { receipt48Rows } from './core/receipt-48.ts';

export function documentText(document: PrintedDocument, form: PrintForm): string {
  return form === 'InvoiceA4' ? a4Text(document) : rowsText(receipt48Rows(document));
}

/** Rows as plain text, each exactly 48 columns wide. Pictures are left out: the verification code says the same. */
export function rowsText(rows: readonly PaperRow[]): string {
  return rows
    .filter((row) => row.kind !== 'logo' && row.kind !== 'qr')
    .map((row) => `${rowText(row)}\n`)
    .join('');
}

export function rowText(row: Exclude<PaperRow, { kind: 'logo' | 'qr' }>): string {
  switch (row.kind) {
    case 'rule':
      return '-'.repeat(PAPER_COLUMNS);
    case 'blank':
      return ' '.repeat(PAPER_COLUMNS);
    case 'centre':
      return centred(row.text, PAPER_COLUMNS);
    case 'text':
      return padRight(row.left, PAPER_COLUMNS - columnsOf(row.right)) + row.right;
  }
}
