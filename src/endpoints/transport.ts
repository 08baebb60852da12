import type { SentEvent, TenantEvent } from '../platform/events/feed.ts';
import { type Endpoint, isMail } from './core/endpoint.ts';
import type { Outcome } from './core/policy.ts';

/** One request or message with these events. */
export interface Delivery {
  readonly endpoint: Endpoint;
  /** The same whenever the same events go to the same endpoint. */
  readonly messageId: string;
  readonly events: readonly SentEvent[];
  /** False: sent by hand or apart, beside those that go in order. */
  readonly isInLine: boolean;
  /** Ends it before its time: the service stops. */
  readonly signal?: AbortSignal | undefined;
}

/** `Refused`: these very events, and three times is reason to set one aside. `Gone`: nobody wants any. `Failed`: it may go better later. */
export interface DeliveryResult {
  readonly outcome: Outcome;
  readonly statusCode?: number | undefined;
  /** Cut and fit to be shown. */
  readonly answer?: string | undefined;
  /** Why it was not taken. */
  readonly error: string | undefined;
  /** How long the receiver asked to be left alone. */
  readonly retryAfterSeconds?: number | undefined;
}

/** How events reach one kind of address. */
export interface Transport {
  /** How long these are still to wait, in case others follow that can go with them; then it is asked again. */
  readonly waitMs: (endpoint: Endpoint, events: readonly TenantEvent[], now: Date) => number;
  /** Of one request or message, for everything together; at most a minute. */
  readonly timeoutMs: number;
  /** Says what became of it within that time; never throws. */
  readonly send: (delivery: Delivery) => Promise<DeliveryResult>;
  /** The endpoint has changed or is not sent anything for now: what is kept for it is closed. */
  readonly forget: (endpointId: string) => void;
  readonly close: () => void;
}

/** By what an address begins with. Mail only where the installation can send any. */
export interface Transports {
  readonly web: Transport;
  readonly mail: Transport | undefined;
}

/** An endpoint outlives the setting that lets mail be sent. */
export function transportOf({ web, mail }: Transports, { address }: Endpoint): Transport {
  return isMail(address) ? (mail ?? NO_MAIL) : web;
}

const NO_MAIL: Transport = {
  waitMs: () => 0,
  timeoutMs: 0,
  send: async () => ({ outcome: 'Failed', error: 'SMTP_URL is not set: this installation sends no mail' }),
  forget: () => {},
  close: () => {},
};
