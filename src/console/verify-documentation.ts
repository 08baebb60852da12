import { Type } from 'typebox';
import type { RouteDocumentation } from '../platform/http/documentation.ts';
import { textOrNull } from './schemas.ts';

const integerOrNull = (description?: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], ...(description === undefined ? {} : { description }) });

const VerdictSchema = Type.Object(
  {
    Holds: Type.Boolean({ description: 'Everything that was looked at holds.' }),
    AuthorityDeviceId: Type.Integer(),
    FromDay: Type.Integer(),
    Receipts: Type.Integer({ description: 'Receipts proven by this call.' }),
    LastGlobalCounter: integerOrNull(),
    ClosedDays: Type.Integer(),
    OpenDays: Type.Integer(),
    AuthoritySignatures: Type.Integer({ description: 'Signatures of the authority that hold.' }),
    UnprovenSignatures: Type.Integer({ description: 'Signatures whose certificate the authority has not given yet.' }),
    Fingerprints: Type.Array(Type.String(), { description: 'Keys and certificates the proof rests on.' }),
    NextDay: integerOrNull('Ask again with this as FromDay; null: everything was looked at.'),
    Fault: Type.Unsafe<object | null>({
      description: 'The first thing that does not hold.',
      anyOf: [
        { type: 'null' },
        Type.Object({
          Kind: Type.String(),
          Detail: Type.String({ description: 'For a person.' }),
          FiscalDayNumber: integerOrNull(),
          GlobalCounter: integerOrNull(),
          Reference: textOrNull({}),
        }),
      ],
    }),
  },
  { title: 'Verdict' },
);

const holds = {
  Holds: true,
  AuthorityDeviceId: 1001,
  FromDay: 1,
  Receipts: 431,
  LastGlobalCounter: 431,
  ClosedDays: 1,
  OpenDays: 1,
  AuthoritySignatures: 432,
  UnprovenSignatures: 0,
  Fingerprints: ['device key 1: SHA-256 5B0D…'],
  NextDay: null,
  Fault: null,
};

export const verifyDeviceDocumentation: RouteDocumentation = {
  operationId: 'verifyDevice',
  tag: 'Administration',
  summary: 'Prove the stored history of a device',
  description:
    'Computes every hash, signature, counter, link and closing again from what is stored, compares stored columns with stored ' +
    'bodies, checks the signatures of the authority with the certificates that were kept, and names the first thing that does ' +
    'not hold. Works through whole fiscal days for some seconds, then answers how far it came: go on with `NextDay`.',
  answers: {
    200: {
      description: 'What was found.',
      schema: VerdictSchema,
      examples: {
        holds: { summary: 'It holds', value: holds },
        broken: {
          summary: 'It does not',
          value: {
            ...holds,
            Holds: false,
            Receipts: 16,
            LastGlobalCounter: 16,
            ClosedDays: 0,
            AuthoritySignatures: 16,
            Fault: {
              Kind: 'wrong-hash',
              Detail: 'the fields give another hash than the stored one',
              FiscalDayNumber: 1,
              GlobalCounter: 17,
              Reference: 'INV-17',
            },
          },
        },
      },
    },
  },
  refusals: ['NotFound'],
};

export const exportDeviceDocumentation: RouteDocumentation = {
  operationId: 'exportDevice',
  tag: 'Administration',
  summary: 'Export the history of a device for an auditor',
  description:
    'JSON Lines that prove themselves without this service: keys and certificates, days, receipts with their seals, and what ' +
    'the authority signed. Each line ends with a hash over itself and all lines before. `tillseal verify FILE` checks it ' +
    'offline. `From` and `To` choose whole fiscal days: by number, or by the local date on which a day was opened.',
  answers: {
    200: {
      description: 'One JSON object per line; the last has the Kind `end`. Without it the file is not whole.',
      contentType: 'application/x-ndjson',
      schema: { type: 'string' },
    },
  },
  refusals: ['NotFound'],
};
