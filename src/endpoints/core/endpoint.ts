import type { AlertKind } from '../../contract/shared/kinds.ts';
import type { ENDPOINT_STATES } from '../../contract/shared/values.ts';

/** All null: the installation. */
export interface Owner {
  readonly taxpayerId: string | null;
  readonly vendorId: string | null;
  /** Of the vendor's events only the payments of this one, whose people look after the endpoint as well. */
  readonly billerCode: string | null;
}

/** What its owner has chosen. */
export interface EndpointSettings {
  readonly address: string;
  readonly description: string;
  readonly eventTypes: readonly string[];
  /** Empty: all. */
  readonly alertKinds: readonly AlertKind[];
  readonly batchSize: number;
  readonly maxPerSecond: number | null;
  readonly isHeldOnRefusal: boolean;
  readonly headerName: string | null;
  /** Encrypted; null for mail. */
  readonly headerValue: Buffer | null;
  readonly secret: Buffer | null;
}

/** Where events are sent, which, how far it has come, and how it goes. */
export interface Endpoint extends Owner, EndpointSettings {
  readonly endpointId: string;
  readonly tenantId: string;
  readonly oldSecret: Buffer | null;
  readonly oldSecretUntil: Date | null;
  /** Moves with every change by its owner. */
  readonly revision: number;
  readonly lockedUntil: Date | null;
  readonly createdAt: Date;
  readonly state: (typeof ENDPOINT_STATES)[number];
  readonly pauseReason: string | null;
  readonly pausedAt: Date | null;
  /** The last number that was taken, passed over or set aside. */
  readonly cursor: bigint;
  /** The end of the batch that is being tried: every try is of the same events. */
  readonly batchLast: bigint | null;
  /** Of that batch, how many failed, and how many of these were refusals. */
  readonly attempts: number;
  readonly refusals: number;
  /** Up to here events go alone, because some of them are refused. */
  readonly singlyUntil: bigint | null;
  /** Without one that was taken between them. */
  readonly setAsideInRow: number;
  readonly nextAttemptAt: Date;
  /** When it last took a batch. */
  readonly lastTakenAt: Date | null;
}

export function isMail(address: string): boolean {
  return address.startsWith('mailto:');
}
