/** That the stored history of a device holds, here and for an auditor. */
import { operation } from '../shared/operation.ts';
import { answered, only, shape, Type } from '../shared/vocabulary.ts';

const integerOrNull = (options: object = {}) => Type.orNull(Type.Integer(), options);

export const Verdict = shape('Verdict', {
  Holds: Type.Boolean({ description: 'Everything that was checked holds.' }),
  AuthorityDeviceId: Type.Integer(),
  FromDay: Type.Integer(),
  Receipts: Type.Integer({ description: 'Receipts proven by this call.' }),
  LastGlobalCounter: integerOrNull(),
  ClosedDays: Type.Integer(),
  OpenDays: Type.Integer(),
  AuthoritySignatures: Type.Integer({ description: 'Signatures of the authority that hold.' }),
  UnprovenSignatures: Type.Integer({
    description: 'Signatures whose certificate the authority has not provided yet.',
  }),
  Fingerprints: Type.Array(Type.String(), { description: 'The keys and certificates used for the proof.' }),
  NextDay: integerOrNull({ description: 'Ask again with this as FromDay; null: everything was checked.' }),
  Fault: Type.orNull(
    Type.Object({
      Kind: Type.String(),
      Detail: Type.String({ description: 'For a person.' }),
      FiscalDayNumber: integerOrNull(),
      GlobalCounter: integerOrNull(),
      Reference: Type.textOrNull(),
    }),
    { description: 'The first thing that does not hold.' },
  ),
});
export type Verdict = Type.Static<typeof Verdict>;

export const verifyDevice = operation('POST /api/admin/devices/:authorityDeviceId/verify', {
  access: { installation: 'operator', taxpayer: 'clerk' },
  summary: 'Prove the stored history of a device',
  description:
    'Computes every hash, signature, counter, link and closing again from what is stored, compares stored columns with stored ' +
    'bodies, checks the signatures of the authority with the certificates that were kept, and names the first thing that does ' +
    'not hold. Works through whole fiscal days for some seconds, then answers how far it got: continue with `NextDay`.',
  query: only({ FromDay: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 })) }),
  answer: answered('What was found.', Verdict),
});

const Bound = Type.Optional(
  Type.String({
    pattern: '^([1-9][0-9]{0,8}|[1-9][0-9]{3}-[0-9]{2}-[0-9]{2})$',
    description: 'Number of a fiscal day, or the local date on which it was opened (YYYY-MM-DD). Included.',
  }),
);

export const exportTaxpayer = operation('GET /api/admin/taxpayers/:taxpayerId/export', {
  access: { installation: 'operator', taxpayer: 'owner' },
  summary: 'Export the history of all devices of a taxpayer',
  description:
    'The exports of its devices, one after the other in the order of their numbers, each with a header, an end and hashes of its own. `tillseal verify FILE` checks all of them offline.',
  answer: {
    description: 'One JSON object per line.',
    contentType: 'application/x-ndjson',
    schema: Type.String(),
  },
});

export const exportDevice = operation('GET /api/admin/devices/:authorityDeviceId/export', {
  access: { installation: 'operator', taxpayer: 'owner' },
  summary: 'Export the history of a device for an auditor',
  description:
    'JSON Lines that can be verified without this service: keys and certificates, days, receipts with their seals, and what ' +
    'the authority signed. Each line ends with a hash over itself and all lines before. `tillseal verify FILE` checks it ' +
    'offline. `From` and `To` choose whole fiscal days: by number, or by the local date on which a day was opened.',
  query: only({ From: Bound, To: Bound }),
  answer: {
    description: 'One JSON object per line; the last has the Kind `end`. Without it the file is incomplete.',
    contentType: 'application/x-ndjson',
    schema: Type.String(),
  },
});
