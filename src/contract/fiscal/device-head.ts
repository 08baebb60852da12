/** The head of a chain that is on hold because receipts are lost, and setting it. */
import { Type } from 'typebox';
import { operation } from '../shared/operation.ts';
import { answered, closed, Instant, oneOf, orNull, textOrNull } from '../shared/vocabulary.ts';
import { DeviceId } from './device.ts';

const Count = Type.Integer({ minimum: 0 });
const Wall = { description: 'Device local time, as signed.' };
const Hash = { description: 'Base64; `DeviceHash` of the receipt.' };

const ChainEnd = Type.Object(
  {
    GlobalCounter: Count,
    FiscalDayNumber: Count,
    FiscalDayCounter: Count,
    Hash: textOrNull(Hash),
    Date: textOrNull(Wall),
  },
  { title: 'ChainEnd' },
);
const Numbers = Type.Object({ First: Count, Last: Count }, { title: 'ReceiptNumbers' });

const HeadToSet = Type.Object(
  {
    AuthorityDeviceId: Type.Integer(),
    Here: ChainEnd,
    Known: orNull(ChainEnd, { description: 'The last receipt that any instance had answered, where some are lost.' }),
    Authority: orNull(
      Type.Object(
        { GlobalCounter: Count, FiscalDayNumber: Count, DayStatus: Type.String(), At: Instant },
        { title: 'AuthorityEnd' },
      ),
      {
        description:
          'What the authority said when it was last asked; where the chain is on hold, only if that was since the hold began.',
      },
    ),
    Obstacle: textOrNull({ description: 'Why the head cannot be set at this moment; null when it can.' }),
    GlobalCounter: orNull(Count, { description: 'What the head has to be set to.' }),
    MustEnter: Type.Boolean({
      description: 'Only the authority has that receipt: its place in the day, hash and date must be sent.',
    }),
    MissingHere: orNull(Numbers),
    MissingAtAuthority: orNull(Numbers),
    Consequences: Type.Array(Type.String(), { description: 'What follows from setting it, in words.' }),
  },
  { title: 'HeadToSet' },
);
export type HeadToSet = Type.Static<typeof HeadToSet>;

const HeadChange = Type.Object(
  {
    GlobalCounter: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    FiscalDayCounter: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
    Hash: Type.Optional(Type.String({ ...Hash, pattern: '^[A-Za-z0-9+/]{43}=$' })),
    Date: Type.Optional(Type.String({ ...Wall, pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$' })),
  },
  { ...closed, title: 'HeadChange' },
);
export type HeadChange = Type.Static<typeof HeadChange>;

const end = {
  GlobalCounter: 147,
  FiscalDayNumber: 12,
  FiscalDayCounter: 31,
  Hash: 'idh4UA36+qZZWjavq/5Z81pTMHiC4imv7bFrb2nPqjs=',
  Date: '2026-11-15T11:58:20',
};
const one = { params: Type.Object({ authorityDeviceId: DeviceId }), refusals: ['NotFound'] } as const;

export const getHeadToSet = operation('GET /api/admin/devices/:authorityDeviceId/head', {
  ...one,
  access: 'viewer',
  summary: 'Read where the head of a chain with lost receipts has to be set',
  description:
    'The last receipt here, the last one that any instance had answered, and the last one the authority has; which numbers are missing, ' +
    'and what follows from going on behind them.',
  answer: answered('What is known.', HeadToSet, {
    AuthorityDeviceId: 1001,
    Here: { ...end, GlobalCounter: 145, FiscalDayCounter: 29 },
    Known: end,
    Authority: {
      GlobalCounter: 147,
      FiscalDayNumber: 12,
      DayStatus: 'FiscalDayOpened',
      At: '2026-11-15T10:01:00.000Z',
    },
    Obstacle: null,
    GlobalCounter: 147,
    MustEnter: false,
    MissingHere: { First: 146, Last: 147 },
    MissingAtAuthority: null,
    Consequences: ['The counters of day 12 are computed from the receipts that are here, so its closing fails.'],
  }),
});

export const setHead = operation('PUT /api/admin/devices/:authorityDeviceId/head', {
  ...one,
  access: 'admin',
  summary: 'Set the head of a chain with lost receipts',
  description:
    'Ends the holds `RowsLost` and `AuthorityAhead`: the next receipt follows the last one that is known to any instance or to the authority. ' +
    '`GlobalCounter` must be the number that reading it gave. It cannot be taken back.',
  body: HeadChange,
  bodyExamples: {
    known: { summary: 'To a receipt that an instance knew', value: { GlobalCounter: 147 } },
    entered: {
      summary: 'To one that only the authority has',
      value: { GlobalCounter: 147, FiscalDayCounter: 31, Hash: end.Hash, Date: end.Date },
    },
  },
  answer: answered(
    'As it is set.',
    Type.Object(
      {
        AuthorityDeviceId: Type.Integer(),
        ...ChainEnd.properties,
        DayState: oneOf(['Opened', 'CloseFailed', 'CloseInitiated']),
        FormerGlobalCounter: Count,
      },
      { title: 'SetHead' },
    ),
    { AuthorityDeviceId: 1001, ...end, DayState: 'Opened', FormerGlobalCounter: 145 },
  ),
});
