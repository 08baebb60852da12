import type { TaxedDevice } from '../../fdms/index.ts';
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
}
