import { Type } from 'typebox';
import { SignedReceiptSchema, signedExample } from '../fiscal/index.ts';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf } from './schemas.ts';

const FoundReceiptSchema = Type.Object(
  {
    TaxpayerId: Type.String({ format: 'uuid' }),
    SealedAt: Type.String({ format: 'date-time' }),
    State: Type.String({
      enum: ['Pending', 'Submitted', 'Refused', 'Undeliverable'],
      description: 'Where it stands with the authority.',
    }),
    Receipt: SignedReceiptSchema,
  },
  { title: 'FoundReceipt' },
);

export const searchReceiptsDocumentation: RouteDocumentation = {
  operationId: 'searchReceipts',
  tag: 'Administration',
  summary: 'Search the receipts of all taxpayers',
  description: 'Newest first.',
  answers: {
    200: listOf('Receipts', FoundReceiptSchema, 'FoundReceiptList', {
      TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
      SealedAt: '2026-11-15T09:58:21.310Z',
      State: 'Submitted',
      Receipt: signedExample,
    }),
  },
};
