import { type TSchema, Type } from 'typebox';
import { PRINT_FORMS, type PrintForm } from './core/printed-document.ts';

export const PRINT_FORMATS = ['pdf', 'html', 'text', 'escpos', 'png'] as const;
export type PrintFormat = (typeof PRINT_FORMATS)[number];

export const CONTENT_TYPES: Readonly<Record<PrintFormat, string>> = {
  pdf: 'application/pdf',
  html: 'text/html; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  escpos: 'application/octet-stream',
  png: 'image/png',
};

export const FILE_ENDINGS: Readonly<Record<PrintFormat, string>> = {
  pdf: 'pdf',
  html: 'html',
  text: 'txt',
  escpos: 'bin',
  png: 'png',
};

export interface PrintQuery {
  format?: PrintFormat;
  form?: PrintForm;
}

export const PrintQuerySchema: TSchema = Type.Object(
  {
    format: Type.Optional(Type.String({ enum: PRINT_FORMATS, default: 'pdf', description: 'pdf when left out.' })),
    form: Type.Optional(
      Type.String({
        enum: PRINT_FORMS,
        description: "Till roll or A4. The receipt's own ReceiptPrintForm when left out.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const REPORT_FORMATS = ['json', 'text', 'pdf'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export const ReportQuerySchema: TSchema = Type.Object(
  { format: Type.Optional(Type.String({ enum: REPORT_FORMATS, default: 'json', description: 'json when left out.' })) },
  { additionalProperties: false },
);
