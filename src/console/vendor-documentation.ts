import { Type } from 'typebox';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { listOf, textOrNull } from './schemas.ts';

const fields = {
  VendorId: Type.String({ format: 'uuid' }),
  Code: Type.String({ description: 'What the vendor names itself by with Basic authentication.' }),
  Name: Type.String(),
  Suspended: Type.Boolean(),
  SuspendedAt: textOrNull({ format: 'date-time' }),
  CallbackUrl: textOrNull({ description: 'Where changes of billers are told. null: nowhere.' }),
  HasCallbackToken: Type.Boolean({ description: 'Whether the webhook carries a bearer token.' }),
  HasFiscalToken: Type.Boolean({ description: 'Whether invoices can be signed in its name.' }),
  FiscalDeviceId: Type.Unsafe<number | null>({ type: ['integer', 'null'] }),
  CreatedAt: Type.String({ format: 'date-time' }),
};
const VendorSchema = Type.Object(fields, { title: 'Vendor' });
const WebhookSecret = Type.String({
  description: 'Signs the webhooks (Standard Webhooks). Shown this once and never again.',
});
const AddedVendorSchema = Type.Object({ ...fields, WebhookSecret }, { title: 'AddedVendor' });

const VENDOR_CODE = 'MOBIPAY';
const example = {
  VendorId: '0198b7e2-7d31-7a02-b3c4-51e0c9a8f216',
  Code: VENDOR_CODE,
  Name: 'MobiPay (Pvt) Ltd',
  Suspended: false,
  SuspendedAt: null,
  CallbackUrl: 'https://mobipay.example.com/billers-changed',
  HasCallbackToken: true,
  HasFiscalToken: true,
  FiscalDeviceId: 1001,
  CreatedAt: '2026-11-15T06:00:00.000Z',
};
const secretExample = 'whsec_ExampleExampleExampleExampleExampleExample=';
const newExample = {
  Code: VENDOR_CODE,
  Name: 'MobiPay (Pvt) Ltd',
  CallbackUrl: 'https://mobipay.example.com/billers-changed',
  CallbackToken: 'what-the-vendor-gave-you',
  FiscalToken: 'tsk_ExampleExampleExampleExampleExampleExample',
  FiscalDeviceId: 1001,
};

const tag = 'Administration';

export const listVendorsDocumentation: RouteDocumentation = {
  operationId: 'listVendors',
  tag,
  summary: 'List vendors',
  answers: { 200: listOf('Vendors', VendorSchema, 'VendorList', example) },
};

export const addVendorDocumentation: RouteDocumentation = {
  operationId: 'addVendor',
  tag,
  summary: 'Add a vendor',
  description:
    'Tokens are kept encrypted and never shown again. The answer holds the secret of its webhooks, this once.',
  bodyExamples: { new: { summary: 'With a webhook and automatic invoices', value: newExample } },
  answers: {
    201: {
      description: 'Added. Hand `WebhookSecret` to the vendor: it cannot be shown again.',
      schema: AddedVendorSchema,
      examples: { added: { summary: 'A new vendor', value: { ...example, WebhookSecret: secretExample } } },
    },
  },
};

const vendorAnswer = (description: string, value: object = example) => ({
  description,
  schema: VendorSchema,
  examples: { vendor: { summary: 'A vendor', value } },
});

export const getVendorDocumentation: RouteDocumentation = {
  operationId: 'getVendor',
  tag,
  summary: 'Read a vendor',
  answers: { 200: vendorAnswer('The vendor.') },
  refusals: ['NotFound'],
};

export const changeVendorDocumentation: RouteDocumentation = {
  operationId: 'changeVendor',
  tag,
  summary: 'Change or suspend a vendor',
  description:
    'Only the fields that are sent change; null takes one away. A suspended vendor is answered 403 everywhere.',
  bodyExamples: {
    suspend: { summary: 'Suspend', value: { Suspended: true } },
    webhook: { summary: 'No webhook any more', value: { CallbackUrl: null, CallbackToken: null } },
  },
  answers: {
    200: vendorAnswer('As it is now.', { ...example, Suspended: true, SuspendedAt: '2026-11-15T09:30:00.000Z' }),
  },
  refusals: ['NotFound'],
};

export const rotateWebhookSecretDocumentation: RouteDocumentation = {
  operationId: 'rotateWebhookSecret',
  tag,
  summary: "Make a new secret for a vendor's webhooks",
  description: 'Everything sent from now on is signed with it, also what is sent again.',
  answers: {
    200: {
      description: 'The new secret.',
      schema: Type.Object({ VendorId: fields.VendorId, WebhookSecret }, { title: 'WebhookSecret' }),
      examples: {
        secret: { summary: 'A new secret', value: { VendorId: example.VendorId, WebhookSecret: secretExample } },
      },
    },
  },
  refusals: ['NotFound'],
};

const VisibilitySchema = Type.Object(
  { VendorId: fields.VendorId, BillerCode: Type.String(), Visible: Type.Boolean() },
  { title: 'Visibility' },
);
const visibility = (Visible: boolean) => ({
  description: 'As it is now.',
  schema: VisibilitySchema,
  examples: {
    now: { summary: 'As it is now', value: { VendorId: example.VendorId, BillerCode: 'CITYWATER', Visible } },
  },
});

export const listVendorBillersDocumentation: RouteDocumentation = {
  operationId: 'listVendorBillers',
  tag,
  summary: 'List the billers a vendor sees',
  answers: {
    200: {
      description: 'Their codes, in order.',
      schema: Type.Object({ BillerCodes: Type.Array(Type.String()) }, { title: 'VendorBillers' }),
      examples: { some: { summary: 'Two billers', value: { BillerCodes: ['CITYWATER', 'SCHOOLFEES'] } } },
    },
  },
  refusals: ['NotFound'],
};

export const grantBillerDocumentation: RouteDocumentation = {
  operationId: 'grantBiller',
  tag,
  summary: 'Let a vendor see a biller and take payments for it',
  description: 'The vendor is told. Said again, it changes nothing and tells nobody.',
  answers: { 200: visibility(true) },
  refusals: ['NotFound'],
};

export const withdrawBillerDocumentation: RouteDocumentation = {
  operationId: 'withdrawBiller',
  tag,
  summary: 'Withdraw a biller from a vendor',
  description: 'The vendor is told; to it the biller is not enabled from then on, and then does not exist.',
  answers: { 200: visibility(false) },
  refusals: ['NotFound'],
};
