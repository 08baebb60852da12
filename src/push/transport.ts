import type { TenantEvent } from '../platform/events/feed.ts';
import type { Endpoint } from './core/endpoint.ts';

/** One request or message with these events, all that it needs. */
export interface Delivery {
  readonly endpoint: Endpoint;
  /** The same whenever the same events go to the same endpoint. */
  readonly messageId: string;
  readonly events: readonly TenantEvent[];
  /** Ends it before its time: the service stops. */
  readonly signal: AbortSignal;
}

/** `Refused`: these events, three times, are reason to set one aside. `Gone`: nobody wants any. `Failed`: it may go better later. */
export interface DeliveryResult {
  readonly outcome: 'Taken' | 'Refused' | 'Gone' | 'Failed';
  readonly statusCode: number | undefined;
  /** Cut and fit to be shown. */
  readonly answer: string | undefined;
  /** Why it was not taken. */
  readonly error: string | undefined;
  /** How long the receiver asked to be left alone. */
  readonly retryAfterSeconds?: number | undefined;
}

/** How events reach one kind of address. */
export interface Transport {
  /** How long the first event that waits does so, in case others follow that can go with it. */
  readonly gatherMs: number;
  /** Says what became of it; does not throw. Takes no longer than REQUEST_TIMEOUT_MS. */
  readonly send: (delivery: Delivery) => Promise<DeliveryResult>;
  /** The endpoint has changed, is paused or deleted: what is kept for it is closed. */
  readonly forget: (endpointId: string) => void;
  readonly close: () => Promise<void>;
}
