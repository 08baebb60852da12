import { Type } from 'typebox';
import type { Answer, RouteDocumentation } from '../platform/http/documentation.ts';
import { managedDeviceAnswer } from './device-documentation.ts';
import { textOrNull } from './schemas.ts';

const accepted = (extra: Record<string, unknown>): Answer => ({
  description: 'Written down; the device does it as its next step.',
  schema: Type.Object(
    { AuthorityDeviceId: Type.Integer() },
    { additionalProperties: true, title: `Accepted${Object.keys(extra).join('')}` },
  ),
  examples: { accepted: { summary: 'Accepted', value: { AuthorityDeviceId: 1001, ...extra } } },
});

export const registerDeviceDocumentation: RouteDocumentation = {
  operationId: 'registerDevice',
  tag: 'Administration',
  summary: 'Register a device with the tax authority',
  description:
    'Makes the key pair here, asks the authority for a certificate with the activation key and takes over the history of ' +
    'the device. The activation key works once: after a failure send the same request again, it goes on where it stood. ' +
    'The first fiscal day is opened at once.',
  bodyExamples: {
    device: {
      summary: 'A device',
      value: {
        TaxpayerId: '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
        AuthorityDeviceId: 1001,
        SerialNumber: 'SN-0001',
        ActivationKey: '00112233',
      },
    },
  },
  answers: { 201: managedDeviceAnswer('The registered device.') },
  refusals: ['NotFound', 'Unavailable'],
};

const closing = {
  Action: 'close',
  ThenOpen: false,
  OpensAt: '2026-11-16T04:00:00+02:00',
  RedReceipts: [],
  StoppedBy: null,
};
export const requestDayDocumentation: RouteDocumentation = {
  operationId: 'requestDay',
  tag: 'Administration',
  summary: 'Open or close the fiscal day by hand',
  description:
    'A day closed by hand stays closed until the end of the next maintenance window (`OpensAt` in the answer), or until ' +
    'it is opened by hand; with `ThenOpen` the next one opens as soon as this one is closed. `RedReceipts` not empty: ' +
    'the closing is certain to fail, because the authority closes no day with a red receipt. It can be seen beforehand in ' +
    '`FiscalDay.RedReceipts` of the device; sealing goes on after such a failure. The day of a stopped device (`StoppedBy`) ' +
    'stays open, and is closed when an operator has decided about the receipt that stopped it.',
  bodyExamples: {
    close: { summary: 'Close', value: { Action: 'close' } },
    closeThenOpen: { summary: 'Close, and open the next one at once', value: { Action: 'close', ThenOpen: true } },
    open: { summary: 'Open', value: { Action: 'open' } },
  },
  answers: {
    202: {
      description: 'Written down; the device does it as its next step.',
      schema: Type.Object(
        {
          AuthorityDeviceId: Type.Integer(),
          Action: Type.String({ enum: ['open', 'close'] }),
          ThenOpen: Type.Optional(Type.Boolean()),
          OpensAt: Type.Optional(
            textOrNull({
              format: 'date-time',
              description:
                'Once the day is closed, nothing is sealed on the device until then. null: the next day opens at once.',
            }),
          ),
          RedReceipts: Type.Optional(Type.Array(Type.String(), { description: 'Their references, at most five.' })),
          StoppedBy: Type.Optional(
            textOrNull({ description: 'Reference of the refused receipt that the closing waits for.' }),
          ),
        },
        { title: 'AcceptedDayRequest' },
      ),
      examples: { accepted: { summary: 'Accepted', value: { AuthorityDeviceId: 1001, ...closing } } },
    },
  },
  refusals: ['NotFound'],
};

export const resumeDocumentation: RouteDocumentation = {
  operationId: 'resumeDevice',
  tag: 'Administration',
  summary: 'Go on now with what waits',
  description: 'Ends a pause or stop of the device towards the authority and tries again at once.',
  answers: { 202: accepted({ Action: 'resume' }) },
  refusals: ['NotFound'],
};

export const decideReceiptDocumentation: RouteDocumentation = {
  operationId: 'decideReceipt',
  tag: 'Administration',
  summary: 'Decide about a receipt the authority refused',
  description:
    '`retry` sends it again as it is, `retry-without-buyer` without the buyer (which is not part of the signature), ' +
    '`give-up` keeps it as evidence and lets the receipts after it go on.',
  bodyExamples: { retry: { summary: 'Send again', value: { Decision: 'retry' } } },
  answers: { 202: accepted({ GlobalCounter: 17, Decision: 'retry' }) },
  refusals: ['NotFound'],
};
