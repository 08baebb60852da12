import { operation } from '../shared/operation.ts';
import { REGISTRATION } from '../shared/values.ts';
import { answered, change, input, only, pages, shape, Type } from '../shared/vocabulary.ts';

const DefaultHsCodes = Type.orNull(
  only({
    Taxed: Type.String({ pattern: '^([0-9]{4}|[0-9]{8})$' }),
    ZeroRated: Type.String({ pattern: '^[0-9]{8}$' }),
    Exempt: Type.String({ pattern: '^[0-9]{8}$' }),
  }),
  { description: 'Used for lines without an HsCode. null: every line must have its own.' },
);

const Currencies = Type.orNull(
  Type.Array(Type.String({ pattern: '^[A-Z]{3}$' }), {
    minItems: 1,
    maxItems: 200,
    description: 'The only currencies this taxpayer may use. null: every current ISO 4217 code.',
  }),
);

const OriginalDevices = Type.orNull(
  Type.Array(Type.Integer(REGISTRATION.AuthorityDeviceId), {
    minItems: 1,
    maxItems: 1000,
    uniqueItems: true,
    description:
      'Devices that its invoices from before came from. A note on an invoice of any other device that is not registered here is refused. null: any number is taken.',
  }),
);

const fields = {
  Name: Type.String({ minLength: 1, maxLength: 250, description: 'As it is registered.' }),
  TIN: Type.String({ pattern: '^[0-9]{10}$', description: '10 digits.' }),
  VatNumber: Type.textOrNull({
    pattern: '^[0-9]{9}$',
    description: '9 digits; without one no tax above 0 % is accepted. null: not registered for VAT.',
  }),
  Currencies,
  DefaultHsCodes,
  NotesTakeBuyer: Type.Boolean({
    description: 'A note without any buyer field takes those of its original, if that was sealed here. Off unless set.',
  }),
  OriginalDevices,
  TimeZone: Type.textOrNull({
    maxLength: 60,
    description: "IANA name: the zone in which its people see times in the console. null: the installation's.",
  }),
};
const optional = {
  VatNumber: Type.Optional(fields.VatNumber),
  Currencies: Type.Optional(Currencies),
  DefaultHsCodes: Type.Optional(DefaultHsCodes),
  NotesTakeBuyer: Type.Optional(fields.NotesTakeBuyer),
  OriginalDevices: Type.Optional(OriginalDevices),
  TimeZone: Type.Optional(fields.TimeZone),
};

export const Taxpayer = shape('Taxpayer', {
  TaxpayerId: Type.String({ format: 'uuid' }),
  ...fields,
  Suspended: Type.Boolean(),
  SuspendedAt: Type.orNull(Type.Instant),
  CreatedAt: Type.Instant,
});
export type Taxpayer = Type.Static<typeof Taxpayer>;

const ofPractice = { PracticeId: Type.Optional(Type.Id) };
const NewTaxpayer = input('NewTaxpayer', { ...fields, ...optional, ...ofPractice });

export const TaxpayerChange = change('TaxpayerChange', { ...fields, Suspended: Type.Boolean() });
export type TaxpayerChange = Type.Static<typeof TaxpayerChange>;

const newExample = { Name: 'Msasa Corner Shop (Pvt) Ltd', TIN: '2000123456', VatNumber: '220123456' };

export const listTaxpayers = operation('GET /api/admin/taxpayers', {
  access: { installation: 'viewer', practice: 'viewer' },
  summary: 'List taxpayers',
  ...pages('Taxpayers', Taxpayer, 'TaxpayerList', { ...ofPractice, Cursor: Type.Id }),
});

export const addTaxpayer = operation('POST /api/admin/taxpayers', {
  access: { installation: 'admin', practice: 'owner' },
  summary: 'Add a taxpayer',
  description: 'With `PracticeId` the practice looks after it from the beginning.',
  body: NewTaxpayer,
  bodyExamples: { 'Registered for VAT': newExample },
  answer: answered('Added.', Taxpayer, 201),
});

export const getTaxpayer = operation('GET /api/admin/taxpayers/:taxpayerId', {
  access: { installation: 'viewer', taxpayer: 'viewer', practice: 'viewer' },
  summary: 'Read a taxpayer',
  answer: answered('The taxpayer.', Taxpayer),
});

export const changeTaxpayer = operation('PATCH /api/admin/taxpayers/:taxpayerId', {
  access: { installation: 'admin', taxpayer: 'owner' },
  summary: 'Change or suspend a taxpayer',
  description:
    'Only the fields that are sent change. A suspended taxpayer is answered 403 everywhere; its people can still read. Who it is (`Name`, `TIN`, `VatNumber`) and whether it is suspended is for operators.',
  body: TaxpayerChange,
  installationFields: ['Name', 'TIN', 'VatNumber', 'Suspended'],
  bodyExamples: { Suspend: { Suspended: true } },
  answer: answered('As it is now.', Taxpayer),
});
