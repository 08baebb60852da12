import { PAYMENT_CSV_HEADER } from '../billpay/index.ts';
import { RECEIPT_CSV_HEADER } from '../fiscal/index.ts';
import type { Answer, RouteDocumentation } from '../platform/http/documentation.ts';

const tag = 'Administration';
const DESCRIPTION =
  'With the filters of the search: all of it, newest first, made as it is read. RFC 4180 in UTF-8 with a byte order mark, for Excel; ' +
  'moments in the zone of the installation, with their offset; amounts exact. Text that a spreadsheet would take for a formula ' +
  'begins with an apostrophe. Who downloaded what is in the audit log.';

function csvAnswer(header: string, line: string): Answer {
  return {
    description: 'A header and one line for each. An answer that breaks off is not whole.',
    contentType: 'text/csv',
    schema: { type: 'string' },
    examples: { one: { summary: 'A single one', value: `${header}\r\n${line}\r\n` } },
  };
}

export const downloadReceiptsDocumentation: RouteDocumentation = {
  operationId: 'downloadReceipts',
  tag,
  summary: 'Receipts as a table for spreadsheets',
  description: DESCRIPTION,
  answers: {
    200: csvAnswer(
      RECEIPT_CSV_HEADER,
      '2026-11-15T11:58:21+02:00,2026-11-15T11:58:20,Baobab Trading (Pvt) Ltd,0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47,1001,SN-1001,1,1,1,INV-000147,FiscalInvoice,,USD,5.50,0.47,,,,Rudo,,E950-1E23-96C3-2336,Submitted,,',
    ),
  },
};

export const downloadPaymentsDocumentation: RouteDocumentation = {
  operationId: 'downloadPayments',
  tag,
  summary: 'Payments as a table for spreadsheets',
  description: DESCRIPTION,
  answers: {
    200: csvAnswer(
      PAYMENT_CSV_HEADER,
      '2026-11-15T12:00:00+02:00,2026-11-15T12:00:00+02:00,,MUKURU-APP,V-1001,P01KA3V2Q80X7M4B9T2HC,HARARE-WATER,12345678,,USD,20.00,0.50,20.50,Cash,Paid,,',
    ),
  },
};
