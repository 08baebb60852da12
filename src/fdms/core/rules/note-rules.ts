import { isNote, type Receipt } from '../receipt.ts';
import type { Report } from './report.ts';
import { checkLength } from './text-rules.ts';

const ORIGINAL_NUMBERS = ['OriginalFiscalDayNumber', 'OriginalGlobalCounter', 'OriginalAuthorityDeviceId'] as const;
const MAX_INTEGER = 2_147_483_647;

/** What a note must say of its original, and an invoice must not (RCPT015, 029, 032, 034). */
export function checkNoteFields(receipt: Receipt, report: Report): void {
  if (isNote(receipt)) checkNote(receipt, report);
  else if (receipt.Type === 'FiscalInvoice') checkInvoice(receipt, report);
  checkLength('Notes', receipt.Notes, 500, report);
}

function checkNote(receipt: Receipt, report: Report): void {
  if (receipt.Notes === undefined || receipt.Notes.trim() === '') {
    report('Notes', 'RCPT034', `Notes is required on a ${receipt.Type}: the reason for it`);
  }
  if (receipt.OriginalReference === undefined) {
    report(
      'OriginalReference',
      'RCPT015',
      `OriginalReference is required on a ${receipt.Type}: the invoice it refers to`,
    );
  }
  checkLength('OriginalReference', receipt.OriginalReference, 50, report);
  const missing = ORIGINAL_NUMBERS.filter((field) => receipt[field] === undefined);
  if (missing.length === ORIGINAL_NUMBERS.length) return;
  for (const field of missing) {
    report(field, 'RCPT032', `${ORIGINAL_NUMBERS.join(', ')} go together: all three or none`);
  }
  for (const field of ORIGINAL_NUMBERS) {
    const value = receipt[field];
    if (value !== undefined && (value < 1 || value > MAX_INTEGER)) {
      report(field, 'Malformed', `${field} must be a whole number from 1 to ${MAX_INTEGER}`);
    }
  }
}

function checkInvoice(receipt: Receipt, report: Report): void {
  for (const field of ['OriginalReference', ...ORIGINAL_NUMBERS, 'Notes'] as const) {
    if (receipt[field] !== undefined) {
      report(field, 'RCPT029', `${field} belongs to credit and debit notes: leave it out of a FiscalInvoice`);
    }
  }
}
