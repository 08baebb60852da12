import type * as alert from '../../../src/contract/alert.ts';
import type * as audit from '../../../src/contract/audit.ts';
import type * as device from '../../../src/contract/device.ts';
import type * as managed from '../../../src/contract/managed-receipt.ts';
import type { Wire } from '../../../src/contract/operation.ts';
import type * as overview from '../../../src/contract/overview.ts';
import type * as receipt from '../../../src/contract/receipt.ts';
import type * as contract from '../../../src/contract/taxpayer.ts';

/** What the operators' API answers, as far as the console uses it. The reference at /docs has all of it. */
/** A number, or its text where it has more digits than a number holds. */
export type Amount = number | string;

export type Alert = Wire<alert.Alert>;

export type Overview = Wire<overview.Overview>;

export type Device = Wire<device.ManagedDevice>;

export type Receipt = Wire<receipt.SignedReceipt>;
export type RelatedReceipt = Wire<managed.RelatedReceipt>;
export type ReceiptDetail = Wire<managed.ReceiptDetail>;

export type Taxpayer = Wire<contract.Taxpayer>;

export type AuditEntry = Wire<audit.AuditEntry>;
