/** Every operation of the API. What is not here is not served, described, called or tested. */

import * as biller from './billpay/biller.ts';
import * as billerFigures from './billpay/biller-figures.ts';
import * as invoice from './billpay/invoice.ts';
import * as managedPayment from './billpay/managed-payment.ts';
import * as payment from './billpay/payment.ts';
import * as vendor from './billpay/vendor.ts';
import * as vendorToken from './billpay/vendor-token.ts';
import * as webhookDelivery from './billpay/webhook-delivery.ts';
import * as alert from './console/alert.ts';
import * as audit from './console/audit.ts';
import * as event from './console/event.ts';
import * as health from './console/health.ts';
import * as key from './console/key.ts';
import * as operator from './console/operator.ts';
import * as overview from './console/overview.ts';
import * as session from './console/session.ts';
import * as day from './fiscal/day.ts';
import * as device from './fiscal/device.ts';
import * as deviceWork from './fiscal/device-work.ts';
import * as managedReceipt from './fiscal/managed-receipt.ts';
import * as printing from './fiscal/printing.ts';
import * as proof from './fiscal/proof.ts';
import * as receipt from './fiscal/receipt.ts';
import * as taxpayer from './fiscal/taxpayer.ts';
import * as token from './fiscal/token.ts';
import type { Operation } from './shared/operation.ts';

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
