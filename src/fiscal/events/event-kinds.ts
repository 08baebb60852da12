import { type Static, Type } from 'typebox';
import { RemarkSchema } from '../receipts/receipt-documentation.ts';

const device = { AuthorityDeviceId: Type.Integer() };
const day = { ...device, FiscalDayNumber: Type.Integer({ minimum: 1 }) };
const receipt = {
  Reference: Type.String(),
  ...device,
  GlobalCounter: Type.Integer({ minimum: 1, description: 'Number of the receipt in the life of the device.' }),
};

/** What a taxpayer's event carries, by its type. Written, read and described by this. */
export const TAXPAYER_EVENTS = {
  'receipt.signed': Type.Object(
    {
      ...receipt,
      ...day,
      Type: Type.String({ description: 'FiscalInvoice, CreditNote or DebitNote.' }),
      FiscalDayCounter: Type.Integer({ minimum: 1, description: 'Number of the receipt in its fiscal day.' }),
    },
    { description: 'A receipt was sealed.' },
  ),
  'receipt.submitted': Type.Object(
    { ...receipt, Remarks: Type.Array(RemarkSchema, { description: 'With a Red one it is no plain acceptance.' }) },
    { description: 'The authority has taken a receipt.' },
  ),
  'receipt.submission_failed': Type.Object(
    { ...receipt, Error: Type.String() },
    { description: 'The authority refused a receipt. Its device submits nothing more until an operator decides.' },
  ),
  'day.opened': Type.Object(
    { ...day, IsKnownToAuthority: Type.Boolean({ description: 'False: opened here while the authority was away.' }) },
    { description: 'A fiscal day was opened.' },
  ),
  'day.closed': Type.Object(
    {
      ...day,
      Reconciliation: Type.String({ enum: ['Auto', 'Manual'], description: 'Manual: by a person at the authority.' }),
      ReceiptCount: Type.Integer({ minimum: 0 }),
    },
    { description: 'A fiscal day was closed.' },
  ),
  'day.close_failed': Type.Object(
    { ...day, Error: Type.String({ description: 'As the authority named it.' }), Explanation: Type.String() },
    { description: 'The authority did not close a fiscal day.' },
  ),
  'device.blocked': Type.Object(
    { ...device, Reason: Type.String() },
    { description: 'A device may not seal any more.' },
  ),
};

export type EventType = keyof typeof TAXPAYER_EVENTS;

/** An event with the data of its type. */
export type TypedEvent = {
  [Kind in EventType]: { readonly type: Kind; readonly data: Static<(typeof TAXPAYER_EVENTS)[Kind]> };
}[EventType];
