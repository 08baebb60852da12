import type { Answer, RouteDocumentation } from '../../platform/http/documentation.ts';

const binary = { type: 'string', format: 'binary' };

export const printAnswer: Answer = {
  description: 'The document, in the format that was asked for.',
  contentType: 'application/pdf',
  schema: binary,
  headers: {
    'Content-Disposition': { description: 'A name to save it under.', schema: { type: 'string' } },
  },
  otherContents: {
    'text/html': { type: 'string' },
    'text/plain': { type: 'string' },
    'application/octet-stream': binary,
    'image/png': binary,
  },
};

export const printDescription =
  'With everything the law wants on it, from what was sealed: printed again it says the same. `html` loads nothing from ' +
  'anywhere. `text` of a Receipt48 is exactly 48 columns wide. `escpos` are bytes to send to an 80 mm receipt printer; a ' +
  'line with a character that none of its code pages has is sent as a picture. `png` is one picture, pages below each other; very long ' +
  "receipts are refused as a picture. The taxpayer's logo and footer are settings of the operator.";

export const printReceiptDocumentation: RouteDocumentation = {
  operationId: 'printReceipt',
  tag: 'Receipts',
  summary: 'The receipt as it is handed to the customer',
  description: printDescription,
  parameters: { type: 'object', properties: { reference: { type: 'string' } } },
  answers: { 200: printAnswer },
  refusals: ['NotFound'],
};
