import type { DeviceTax, TaxedDevice } from '../../fdms/index.ts';
import type { Hold } from './hold.ts';

/** A fiscal device as sealing sees it: settings, current key and configuration. `revision` tells when this view is old. */
export interface Device extends TaxedDevice {
  readonly taxpayerId: string;
  readonly revision: number;
  readonly keyVersion: number;
  readonly configurationVersion: number;
  readonly zone: string;
  readonly maintenanceStartMinute: number;
  readonly datePolicy: 'advance' | 'strict';
  readonly advanceLimitSeconds: number;
  readonly futureLimitSeconds: number;
  readonly holds: readonly Hold[];
  readonly serialNumber: string;
  readonly qrUrl: string;
  readonly dayMaximumHours: number;
  /** So long before its maximum a day that is still open is worth a warning. */
  readonly dayEndNoticeHours: number;
  readonly certificateValidTill: Date | undefined;
  readonly taxDoubt: TaxDoubt | undefined;
}

/** Something speaks against the taxes in force, and the authority is asked (docs/signing.md, "Taxes that change"). */
export interface TaxDoubt {
  /** What is in doubt, as percentKey writes it. */
  readonly percents: readonly string[];
  /** What the authority said last and is not believed yet; undefined: only a remark speaks against the taxes in force. */
  readonly answer: readonly DeviceTax[] | undefined;
  readonly sinceSeconds: number;
  /** A receipt was remarked with RCPT025: the next answer is believed, and until it comes nothing is sealed with these. */
  readonly isRemarked: boolean;
}
