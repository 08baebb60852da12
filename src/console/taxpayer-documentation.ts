import { Type } from 'typebox';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf, textOrNull } from './schemas.ts';

const TaxpayerSchema = Type.Object(
  {
    TaxpayerId: Type.String({ format: 'uuid' }),
    Name: Type.String(),
    TIN: Type.String(),
    VatNumber: textOrNull({ description: 'null: not registered for VAT.' }),
    Currencies: Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: { type: 'string' } }),
    DefaultHsCodes: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      required: ['Taxed', 'ZeroRated', 'Exempt'],
      properties: { Taxed: { type: 'string' }, ZeroRated: { type: 'string' }, Exempt: { type: 'string' } },
    }),
    Suspended: Type.Boolean(),
    SuspendedAt: textOrNull({ format: 'date-time' }),
    CreatedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'Taxpayer' },
);

const newExample = { Name: 'Msasa Corner Shop (Pvt) Ltd', TIN: '2000123456', VatNumber: '220123456' };
const example = {
  TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
  ...newExample,
  Currencies: null,
  DefaultHsCodes: null,
  Suspended: false,
  SuspendedAt: null,
  CreatedAt: '2026-11-15T06:00:00.000Z',
};
const answer = (description: string, value: object = example) => ({
  description,
  schema: TaxpayerSchema,
  examples: { taxpayer: { summary: 'A taxpayer', value } },
});

export const listTaxpayersDocumentation: RouteDocumentation = {
  operationId: 'listTaxpayers',
  tag: 'Administration',
  summary: 'List taxpayers',
  answers: { 200: listOf('Taxpayers', TaxpayerSchema, 'TaxpayerList', example) },
};

export const addTaxpayerDocumentation: RouteDocumentation = {
  operationId: 'addTaxpayer',
  tag: 'Administration',
  summary: 'Add a taxpayer',
  bodyExamples: { new: { summary: 'Registered for VAT', value: newExample } },
  answers: { 201: answer('Added.') },
};

export const getTaxpayerDocumentation: RouteDocumentation = {
  operationId: 'getTaxpayer',
  tag: 'Administration',
  summary: 'Read a taxpayer',
  answers: { 200: answer('The taxpayer.') },
  refusals: ['NotFound'],
};

export const changeTaxpayerDocumentation: RouteDocumentation = {
  operationId: 'changeTaxpayer',
  tag: 'Administration',
  summary: 'Change or suspend a taxpayer',
  description: 'Only the fields that are sent change. A suspended taxpayer is answered 403 everywhere.',
  bodyExamples: { suspend: { summary: 'Suspend', value: { Suspended: true } } },
  answers: {
    200: answer('As it is now.', { ...example, Suspended: true, SuspendedAt: '2026-11-15T09:30:00.000Z' }),
  },
  refusals: ['NotFound'],
};
