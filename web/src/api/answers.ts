import type { OperationAt } from '../../../src/contract/index.ts';
import type { AnswerOf, Wire } from '../../../src/contract/shared/operation.ts';

export type Address = keyof OperationAt;
/** What an operation answers, as it arrives here. */
export type AnswerAt<At extends Address> = Wire<AnswerOf<OperationAt[At]>>;

/** A number, or its text where it has more digits than a number holds. */
export type Amount = number | string;

/** What the operators' API answers, where several files show it. */
export type Alert = AnswerAt<'GET /api/admin/alerts'>['Alerts'][number];
export type Overview = AnswerAt<'GET /api/admin/overview'>;
export type Device = AnswerAt<'GET /api/admin/devices/:authorityDeviceId'>;
export type ReceiptDetail = AnswerAt<'GET /api/admin/devices/:authorityDeviceId/receipts/:globalCounter'>;
export type Taxpayer = AnswerAt<'GET /api/admin/taxpayers/:taxpayerId'>;
export type Biller = AnswerAt<'GET /api/admin/billers/:billerCode'>;
export type Vendor = AnswerAt<'GET /api/admin/vendors/:vendorId'>;
export type PaymentDetail = AnswerAt<'GET /api/admin/payments/:billPayReference'>;
