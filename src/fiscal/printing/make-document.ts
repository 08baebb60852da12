import { PRINT_FORMS, type PrintForm } from '../../contract/fiscal/printing.ts';
import { readStoredReceipt } from '../sealed/read-stored-receipt.ts';
import type { PrintedDocument } from './core/printed-document.ts';
import { receiptDocument } from './core/receipt-document.ts';
import type { PrintSource } from './job.ts';

export interface MadeDocument {
  readonly form: PrintForm;
  readonly document: PrintedDocument;
}

/** What is printed of a stored receipt, in the form that was asked for or else its own. */
export function makeDocument({ body, original, ...rest }: PrintSource, asked: PrintForm | undefined): MadeDocument {
  const receipt = readStoredReceipt(body);
  const form = asked ?? PRINT_FORMS.find((own) => own === receipt.ReceiptPrintForm) ?? 'Receipt48';
  return {
    form,
    document: receiptDocument(
      {
        ...rest,
        receipt,
        // Of an invoice that was sealed elsewhere only what the note itself says is known.
        original: original && {
          ...original,
          reference: original.reference ?? receipt.OriginalReference ?? '',
          fiscalDayNumber: original.fiscalDayNumber ?? receipt.OriginalFiscalDayNumber,
        },
      },
      form,
    ),
  };
}
