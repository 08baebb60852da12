import { CSV_DESCRIPTION, csvAnswer } from '../contract/csv.ts';
import { RECEIPT_CSV_HEADER } from '../fiscal/index.ts';
import type { RouteDocumentation } from '../platform/http/documentation.ts';

const tag = 'Administration';

export const downloadReceiptsDocumentation: RouteDocumentation = {
  operationId: 'downloadReceipts',
  tag,
  summary: 'Receipts as a table for spreadsheets',
  description: CSV_DESCRIPTION,
  answers: {
    200: csvAnswer(
      RECEIPT_CSV_HEADER,
      '2026-11-15T11:58:21+02:00,2026-11-15T11:58:20,Baobab Trading (Pvt) Ltd,0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47,1001,SN-1001,1,1,1,INV-000147,FiscalInvoice,,USD,5.50,0.47,,,,Rudo,,E950-1E23-96C3-2336,Submitted,,',
    ),
  },
};
