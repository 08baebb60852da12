/** A chain that is on hold because receipts are lost, and going on behind them. */
import { operation } from '../shared/operation.ts';
import { answered, input, shape, Type } from '../shared/vocabulary.ts';

const Count = Type.Integer({ minimum: 0 });

const Chain = shape('Chain', {
  AuthorityDeviceId: Type.Integer(),
  Authority: Type.orNull(
    shape('AuthorityEnd', { GlobalCounter: Count, FiscalDayNumber: Count, DayStatus: Type.String(), At: Type.Instant }),
    {
      description:
        'The last receipt and day of the authority, when it was last asked; where the chain is on hold, only if that was since the hold began.',
    },
  ),
  Obstacle: Type.textOrNull({ description: 'Why the chain cannot go on at this moment; null when it can.' }),
  GlobalCounter: Type.orNull(Count, { description: 'The receipt behind which it would go on.' }),
  Consequences: Type.Array(Type.String(), { description: 'What is lost and what follows, in words.' }),
});
export type Chain = Type.Static<typeof Chain>;

export const getChain = operation('GET /api/admin/devices/:authorityDeviceId/chain', {
  access: 'viewer',
  summary: 'Read what going on behind lost receipts would do',
  description:
    'Behind which receipt the chain would go on: the last one that is known to any instance or to the authority. What is lost, and what follows.',
  answer: answered('What is known.', Chain),
});

export const goOn = operation('POST /api/admin/devices/:authorityDeviceId/chain', {
  // A taxpayer cannot see whether a second installation or a lost server has the receipts: going on wrongly forks the chain.
  access: 'admin',
  summary: 'Go on behind lost receipts',
  description:
    'Ends the holds `RowsLost` and `AuthorityAhead`: the next receipt follows this one. ' +
    '`GlobalCounter` is the number that reading it gave; it is refused when another one is right by now. It cannot be taken back.',
  body: input('GoOn', { GlobalCounter: Count }),
  bodyExamples: { 'Behind the receipt that was shown': { GlobalCounter: 147 } },
  answer: answered(
    'Where it goes on, and where it had ended.',
    shape('GoneOn', { AuthorityDeviceId: Type.Integer(), GlobalCounter: Count, FormerGlobalCounter: Count }),
  ),
});
