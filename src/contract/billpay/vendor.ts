import { CODE_PATTERN } from '../../kernel/code.ts';
import { operation } from '../shared/operation.ts';
import { answered, change, input, pages, shape, Type } from '../shared/vocabulary.ts';

const VendorId = Type.String({ format: 'uuid' });
const Code = Type.String({
  pattern: CODE_PATTERN,
  description: "1 to 50 letters, digits, _ and -; it never changes. The vendor's user name with Basic authentication.",
});
const Name = Type.String({ minLength: 1, maxLength: 250, description: 'The name that people know.' });
const CallbackUrl = Type.textOrNull({
  maxLength: 2000,
  description: 'Where changes of billers are sent, http or https. null: the vendor is not notified.',
});
const FiscalDeviceId = Type.orNull(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }), {
  description: "The vendor's device that signs its invoices. null: none does.",
});
/** Goes into a header as it is. */
const secret = (description: string) =>
  Type.Optional(
    Type.textOrNull({ pattern: '^[!-~]{1,500}$', description: `${description} Visible ASCII, no spaces.` }),
  );
const settings = {
  CallbackUrl: Type.Optional(CallbackUrl),
  CallbackToken: secret('The bearer token that the vendor expects on its callback URL. null: it is sent without one.'),
  FiscalToken: secret("The vendor's own token at the signing service. null: no invoices are signed for it."),
  FiscalDeviceId: Type.Optional(FiscalDeviceId),
};

const fields = {
  VendorId,
  Code,
  Name,
  Suspended: Type.Boolean(),
  SuspendedAt: Type.orNull(Type.Instant),
  CallbackUrl,
  HasCallbackToken: Type.Boolean({ description: 'Whether the callback is sent with a bearer token.' }),
  HasFiscalToken: Type.Boolean({ description: 'Whether invoices can be signed for it.' }),
  FiscalDeviceId,
  CreatedAt: Type.Instant,
};
export const Vendor = shape('Vendor', fields);
export type Vendor = Type.Static<typeof Vendor>;

const WebhookSecret = Type.String({
  description: 'Signs the callbacks (Standard Webhooks). Shown once and never again.',
});
const AddedVendor = shape('AddedVendor', { ...fields, WebhookSecret });

const NewVendor = input('NewVendor', { Code, Name, ...settings });

export const VendorChange = change('VendorChange', { Name, Suspended: Type.Boolean(), ...settings });
export type VendorChange = Type.Static<typeof VendorChange>;

export const Visibility = shape('Visibility', { VendorId, BillerCode: Type.String(), Visible: Type.Boolean() });
export type Visibility = Type.Static<typeof Visibility>;

const VENDOR_CODE = 'MOBIPAY';
const named = { Code: VENDOR_CODE, Name: 'MobiPay (Pvt) Ltd' };
const CALLBACK_URL = 'https://mobipay.example.com/billers-changed';
const newExample = {
  ...named,
  CallbackUrl: CALLBACK_URL,
  CallbackToken: 'what-the-vendor-gave-you',
  FiscalToken: 'tsk_ExampleExampleExampleExampleExampleExample',
  FiscalDeviceId: 1001,
};

export const listVendors = operation('GET /api/admin/vendors', {
  access: 'viewer',
  summary: 'List vendors',
  ...pages('Vendors', Vendor, 'VendorList', { Cursor: Type.Id }),
});

export const addVendor = operation('POST /api/admin/vendors', {
  access: 'admin',
  summary: 'Add a vendor',
  description:
    'Tokens are kept encrypted and never shown again. The answer has the secret of its callbacks, which is never shown again.',
  body: NewVendor,
  bodyExamples: { 'With a callback and automatic invoices': newExample },
  answer: answered('Added. Give `WebhookSecret` to the vendor: it cannot be shown again.', AddedVendor, 201),
});

export const getVendor = operation('GET /api/admin/vendors/:vendorId', {
  access: { installation: 'viewer', vendor: 'viewer' },
  summary: 'Read a vendor',
  answer: answered('The vendor.', Vendor),
});

export const changeVendor = operation('PATCH /api/admin/vendors/:vendorId', {
  access: 'admin',
  summary: 'Change or suspend a vendor',
  description: 'Only the fields that are sent change; null removes one. A suspended vendor is answered 403 everywhere.',
  body: VendorChange,
  bodyExamples: {
    Suspend: { Suspended: true },
    'No longer send callbacks': { CallbackUrl: null, CallbackToken: null },
  },
  answer: answered('As it is now.', Vendor),
});

export const rotateWebhookSecret = operation('POST /api/admin/vendors/:vendorId/webhook-secret', {
  access: 'admin',
  command: 'vendor rotate-secret',
  summary: "Create a new secret for a vendor's callbacks",
  description: 'Everything sent from now on is signed with it, including what is sent again.',
  answer: answered('The new secret.', shape('WebhookSecret', { VendorId, WebhookSecret })),
});

export const listVendorBillers = operation('GET /api/admin/vendors/:vendorId/billers', {
  access: { installation: 'viewer', vendor: 'viewer' },
  summary: 'List the billers a vendor sees',
  answer: answered('Their codes, in order.', shape('VendorBillers', { BillerCodes: Type.Array(Type.String()) })),
});

const visibilityAnswer = answered('As it is now.', Visibility);

export const grantBiller = operation('PUT /api/admin/vendors/:vendorId/billers/:billerCode', {
  access: 'operator',
  summary: 'Let a vendor see a biller and take payments for it',
  description: 'The vendor is notified. Repeated, it changes nothing and sends no notification.',
  answer: visibilityAnswer,
});

export const withdrawBiller = operation('DELETE /api/admin/vendors/:vendorId/billers/:billerCode', {
  access: 'operator',
  summary: 'Withdraw a biller from a vendor',
  description:
    'The vendor is notified. With `changedSince` the biller is listed as not enabled; otherwise it no longer exists for the vendor.',
  answer: visibilityAnswer,
});
