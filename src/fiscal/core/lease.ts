import type { DeviceKey } from './keys.ts';

/** Who holds a lane. */
export interface Fence extends DeviceKey {
  readonly fencingToken: bigint;
}

/** The right to talk to the authority for a device, for as long as the lease lasts and no other instance took it. */
export interface Lease extends Fence {
  /** Of the database server that gave it; whatever is read in its name has to be confirmed by the same one. */
  readonly epoch: number;
}

/**
 * Short, so that another instance takes over soon after this one died; a call to the authority may take longer, and so
 * it is renewed all the while (RENEW_EVERY_MS). By the database's clock, which all instances share.
 */
export const LEASE_MS = 10_000;
export const RENEW_EVERY_MS = 3000;

/** The longest that a lane rests; a time further ahead was written while a clock was wrong. */
export const LONGEST_REST_SECONDS = 600;
