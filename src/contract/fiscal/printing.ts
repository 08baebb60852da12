import { operation } from '../shared/operation.ts';
import { answered, input, only, shape, Type } from '../shared/vocabulary.ts';

/** How large a logo may be. */
export const LOGO_BYTES = 100_000;

export const PRINT_FORMATS = ['pdf', 'html', 'text', 'escpos', 'png'] as const;
export type PrintFormat = (typeof PRINT_FORMATS)[number];
export const PRINT_FORMS = ['Receipt48', 'InvoiceA4'] as const;
export type PrintForm = (typeof PRINT_FORMS)[number];

const FISCAL_NOTE_TITLES = 'Notes are titled FISCAL CREDIT NOTE and FISCAL DEBIT NOTE, not CREDIT NOTE and DEBIT NOTE.';

export const Printing = shape('Printing', {
  Footer: Type.textOrNull(),
  Logo: Type.textOrNull({ description: 'The PNG, base64.' }),
  LogoWidth: Type.orNull(Type.Integer()),
  LogoHeight: Type.orNull(Type.Integer()),
  FiscalNoteTitles: Type.Boolean({ description: FISCAL_NOTE_TITLES }),
});
export type Printing = Type.Static<typeof Printing>;

export const PrintingChange = input('PrintingChange', {
  Footer: Type.Optional(Type.textOrNull({ maxLength: 500, description: 'Printed at the end. null: nothing.' })),
  Logo: Type.Optional(
    Type.textOrNull({
      // Base64 takes four characters for three bytes; the bytes themselves are counted afterwards.
      maxLength: Math.ceil(LOGO_BYTES / 3) * 4 + 4,
      description: 'A PNG of at most 100 kB and 2000 × 2000 pixels, base64. null: none.',
    }),
  ),
  FiscalNoteTitles: Type.Optional(Type.Boolean({ description: FISCAL_NOTE_TITLES })),
});
export type PrintingChange = Type.Static<typeof PrintingChange>;

/** One black pixel: small enough to read, and really a PNG. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg==';
const change = { Footer: 'Thank you for shopping with us!', Logo: pixel };

export const getPrinting = operation('GET /api/admin/taxpayers/:taxpayerId/printing', {
  access: { installation: 'viewer', taxpayer: 'viewer' },
  summary: "A taxpayer's logo, footer and titles on printed receipts",
  answer: answered('Logo, footer and titles.', Printing),
});

export const changePrinting = operation('PATCH /api/admin/taxpayers/:taxpayerId/printing', {
  access: { installation: 'admin', taxpayer: 'owner' },
  summary: "Change a taxpayer's logo, footer and titles",
  description:
    'Only the fields that are sent change. The logo is printed at the top of receipts and reports; the footer, of up to 500 ' +
    'characters and several lines, at the end of receipts. Receipts that were sealed before are printed with them too.',
  body: PrintingChange,
  bodyExamples: { 'A footer and a logo': change },
  answer: answered('As it is now.', Printing),
});

export const PrintQuery = only({
  format: Type.Optional(Type.oneOf(PRINT_FORMATS, { default: 'pdf', description: 'pdf by default.' })),
  form: Type.Optional(
    Type.oneOf(PRINT_FORMS, { description: "Till roll or A4. The receipt's own ReceiptPrintForm by default." }),
  ),
});
export type PrintQuery = Type.Static<typeof PrintQuery>;

const binary = { type: 'string', format: 'binary' } as const;
const print = {
  description:
    'With everything the law requires, from what was sealed: it always prints the same. `html` loads no external ' +
    'files. `text` of a Receipt48 is exactly 48 columns wide. `escpos` are bytes to send to an 80 mm receipt printer; a ' +
    'line with a character that none of its code pages has is sent as a picture. `png` is one picture, pages below each other; very long ' +
    "receipts are refused as a picture. The taxpayer's logo, footer and titles of notes are settings of the operator.",
  query: PrintQuery,
  answer: {
    description: 'The document, in the format that was asked for.',
    contentType: 'application/pdf',
    schema: Type.Unsafe<Uint8Array>(binary),
    headers: { 'Content-Disposition': { description: 'A name to save it under.', schema: { type: 'string' } } },
    otherContents: {
      'text/html': { type: 'string' },
      'text/plain': { type: 'string' },
      'application/octet-stream': binary,
      'image/png': binary,
    },
  },
} as const;

export const printReceipt = operation('GET /api/receipt/:reference/print', {
  ...print,
  access: 'taxpayer that reads',
  tag: 'Receipts',
  summary: 'Print a receipt as it is handed to the customer',
  params: Type.Object({ reference: Type.String() }),
  hasOpenParams: true,
});

/** By device and number: two taxpayers may have used the same reference. */
export const printManagedReceipt = operation(
  'GET /api/admin/devices/:authorityDeviceId/receipts/:globalCounter/print',
  {
    ...print,
    access: { installation: 'viewer', taxpayer: 'viewer' },
    summary: 'Print any receipt as it is handed to the customer',
  },
);
