import type { Remark } from '../core/remarks.ts';
import type { Authority } from '../state/authority.ts';
import type { Device, DeviceCertificate, Taxpayer } from '../store/registry.ts';
import type { Answer } from '../wire/answer.ts';

/** A call whose device is known and active. */
export interface DeviceCall {
  readonly device: Device;
  readonly taxpayer: Taxpayer;
  readonly body: Buffer;
}

/** A call made with a certificate of the device. */
export interface CertifiedCall extends DeviceCall {
  readonly certificate: DeviceCertificate;
  /** Remarks the control API asked for on top of what the rules find. */
  readonly forcedRemarks: readonly Remark[];
}

export type Operation<C extends DeviceCall> = (authority: Authority, call: C) => Answer | Promise<Answer>;
