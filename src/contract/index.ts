/** Every operation of the API. What is not here is not served, described, called or tested. */

import * as alert from './alert.ts';
import * as audit from './audit.ts';
import * as biller from './biller.ts';
import * as billerFigures from './biller-figures.ts';
import * as day from './day.ts';
import * as device from './device.ts';
import * as deviceWork from './device-work.ts';
import * as event from './event.ts';
import * as health from './health.ts';
import * as invoice from './invoice.ts';
import * as key from './key.ts';
import * as managedPayment from './managed-payment.ts';
import * as managedReceipt from './managed-receipt.ts';
import type { Operation } from './operation.ts';
import * as operator from './operator.ts';
import * as overview from './overview.ts';
import * as payment from './payment.ts';
import * as printing from './printing.ts';
import * as proof from './proof.ts';
import * as receipt from './receipt.ts';
import * as session from './session.ts';
import * as taxpayer from './taxpayer.ts';
import * as token from './token.ts';
import * as vendor from './vendor.ts';
import * as vendorToken from './vendor-token.ts';
import * as webhookDelivery from './webhook-delivery.ts';

const NOUNS = {
  alert,
  audit,
  billerFigures,
  biller,
  day,
  deviceWork,
  device,
  event,
  health,
  invoice,
  key,
  managedPayment,
  managedReceipt,
  operator,
  overview,
  payment,
  printing,
  proof,
  receipt,
  session,
  taxpayer,
  token,
  vendorToken,
  vendor,
  webhookDelivery,
};

type Nouns = (typeof NOUNS)[keyof typeof NOUNS];
type OperationsIn<Noun> = Noun extends object ? Extract<Noun[keyof Noun], Operation> : never;

/** An operation by its address, `GET /api/admin/taxpayers/:taxpayerId`: so that a caller names it without loading the contract. */
export type OperationAt = {
  [O in OperationsIn<Nouns> as `${O['method']} ${O['path']}`]: O;
};

/** With its name, which is its id in the OpenAPI document. */
export interface NamedOperation extends Operation {
  readonly id: string;
}

export const OPERATIONS: readonly NamedOperation[] = Object.values(NOUNS).flatMap((noun) =>
  Object.entries<unknown>(noun).flatMap(([id, part]) => (isOperation(part) ? { ...part, id } : [])),
);

function isOperation(part: unknown): part is Operation {
  return typeof part === 'object' && part !== null && 'method' in part;
}
