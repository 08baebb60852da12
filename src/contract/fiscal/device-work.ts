/** What an operator does by hand with a device: day, lane, refused receipts. */
import { operation } from '../shared/operation.ts';
import { answered, input, shape, Type } from '../shared/vocabulary.ts';
import { ManagedDevice } from './device.ts';

export const DECISIONS = ['retry', 'retry-without-buyer', 'take-as-accepted', 'give-up'] as const;
const Action = Type.oneOf(['open', 'close']);

const DayRequest = input('DayRequest', {
  Action,
  ThenOpen: Type.Optional(
    Type.Boolean({ description: 'With `close`: opens the next day as soon as this one is closed.' }),
  ),
});
const ReceiptDecision = input('ReceiptDecision', {
  Decision: Type.oneOf(DECISIONS),
  AuthorityReceiptId: Type.Optional(
    Type.String({
      pattern: '^\\d{1,18}$',
      description: "With `take-as-accepted`: the receipt's number in the authority's portal.",
    }),
  ),
});

const AcceptedDayRequest = shape('AcceptedDayRequest', {
  AuthorityDeviceId: Type.Integer(),
  Action,
  ThenOpen: Type.Optional(Type.Boolean()),
  OpensAt: Type.Optional(
    Type.orNull(Type.Instant, {
      description:
        'Once the day is closed, nothing is sealed on the device until then. null: the next day opens immediately.',
    }),
  ),
  RedReceipts: Type.Optional(Type.Array(Type.String(), { description: 'Their references, at most five.' })),
  StoppedBy: Type.Optional(
    Type.textOrNull({ description: 'Reference of the refused receipt that the closing waits for.' }),
  ),
});
const AcceptedAction = shape('AcceptedAction', { AuthorityDeviceId: Type.Integer(), Action: Type.oneOf(['resume']) });
const AcceptedDecision = shape('AcceptedGlobalCounterDecision', {
  AuthorityDeviceId: Type.Integer(),
  GlobalCounter: Type.Integer(),
  Decision: Type.oneOf(DECISIONS),
  AuthorityReceiptId: Type.Optional(Type.String()),
});

const WRITTEN_DOWN = 'Recorded; the device does it as its next step.';
export const requestDay = operation('POST /api/admin/devices/:authorityDeviceId/day', {
  access: { installation: 'operator', taxpayer: 'clerk' },
  summary: 'Open or close the fiscal day by hand',
  description:
    'A day closed by hand stays closed until the end of the next maintenance window (`OpensAt` in the answer), or until ' +
    'it is opened by hand; with `ThenOpen` the next one opens as soon as this one is closed. If `RedReceipts` is not empty, ' +
    'the closing is certain to fail, because the authority closes no day with a red receipt. You can see this beforehand in ' +
    '`FiscalDay.RedReceipts` of the device; sealing continues after such a failure. The day of a stopped device (`StoppedBy`) ' +
    'stays open, and is closed when an operator has decided about the receipt that stopped it.',
  body: DayRequest,
  bodyExamples: {
    Close: { Action: 'close' },
    'Close, and open the next one immediately': { Action: 'close', ThenOpen: true },
    Open: { Action: 'open' },
  },
  answer: answered(WRITTEN_DOWN, AcceptedDayRequest, 202),
});

export const resumeDevice = operation('POST /api/admin/devices/:authorityDeviceId/resume', {
  access: { installation: 'operator', taxpayer: 'clerk' },
  summary: 'Continue now with what is waiting',
  description: 'Ends a pause or stop of the device and tries again immediately.',
  answer: answered(WRITTEN_DOWN, AcceptedAction, 202),
});

export const giveUpDevice = operation('POST /api/admin/devices/:authorityDeviceId/give-up', {
  access: { installation: 'operator', taxpayer: 'owner' },
  summary: 'Give up a device that is needed no more',
  description:
    'Only when its day is closed at the authority and nothing of it waits, here or on a till; otherwise the answer says what is left to do. Its receipts and ' +
    'days stay, and it seals nothing until it is registered again.',
  answer: answered('Given up.', ManagedDevice),
});

export const decideReceipt = operation('POST /api/admin/devices/:authorityDeviceId/receipts/:globalCounter/decision', {
  access: 'operator',
  summary: 'Decide about a receipt that holds up its device',
  description:
    'One that the authority refused, or the next one of a device while the alert `AnswerUnclear` about `SubmitReceipt` is open. ' +
    '`retry` sends it again as it is, `retry-without-buyer` without the buyer (which is not part of the signature), ' +
    '`take-as-accepted` records that the authority has it, under the `AuthorityReceiptId` that its portal shows, and ' +
    '`give-up` keeps it as evidence; both of these continue with the receipts after it.',
  body: ReceiptDecision,
  bodyExamples: {
    'Send again': { Decision: 'retry' },
    'The authority has it': { Decision: 'take-as-accepted', AuthorityReceiptId: '7001' },
  },
  answer: answered(WRITTEN_DOWN, AcceptedDecision, 202),
});
