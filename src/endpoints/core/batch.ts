import { createHash } from 'node:crypto';
import type { AlertEvent } from '../../contract/platform/event.ts';
import { ALERT_EVENTS, BILLER_EVENTS } from '../../contract/shared/values.ts';
import { type Endpoint, isMail } from './endpoint.ts';

/** More than any batch: what is not wanted is read and passed over. A mail is about all that waits. */
export function readAtOnce({ address }: Endpoint): number {
  return isMail(address) ? 5000 : 500;
}
const MAX_BATCH_BYTES = 256_000;

export interface FeedEvent {
  readonly number: bigint;
  readonly type: string;
  readonly at: Date;
  /** JSON text. */
  readonly data: string;
}

export interface Batch<Event extends FeedEvent> {
  /** Up to here there is nothing for this endpoint. */
  readonly cursor: bigint;
  /** What goes together; empty when none of those that were read is wanted. */
  readonly events: readonly Event[];
}

/**
 * What is sent next, out of the events after the cursor in their order. While a batch is being tried it is always the same one,
 * whoever tries it: its end is known, and what is before its end does not change.
 */
export function chooseBatch<Event extends FeedEvent>(endpoint: Endpoint, read: readonly Event[]): Batch<Event> {
  const { batchLast } = endpoint;
  const isInReach = ({ number }: Event) => batchLast === null || number <= batchLast;
  const wanted = read.filter((event) => isInReach(event) && isWanted(endpoint, event));
  const [first] = wanted;
  if (first === undefined) return { cursor: read.at(-1)?.number ?? endpoint.cursor, events: [] };
  const cursor = first.number - 1n;
  if (batchLast !== null || isMail(endpoint.address)) return { cursor, events: wanted };
  const isAlone = first.number <= (endpoint.singlyUntil ?? 0n);
  return { cursor, events: upToSize(wanted, isAlone ? 1 : endpoint.batchSize) };
}

/** Whether everybody would choose the same batch, whatever else happens meanwhile. */
export function isOneChoice({ batchSize, batchLast }: Endpoint): boolean {
  return batchSize === 1 || batchLast !== null;
}

/** The first always goes, however large it is. */
function upToSize<Event extends FeedEvent>(events: readonly Event[], most: number): readonly Event[] {
  let bytes = 0;
  const end = events.slice(0, most).findIndex(({ data }, place) => {
    bytes += Buffer.byteLength(data);
    return place > 0 && bytes > MAX_BATCH_BYTES;
  });
  return events.slice(0, end === -1 ? most : end);
}

/** A vendor's feed has the payments of all its billers, and more: whoever is told of one biller's is told of nothing else. */
export function isInScope(
  { billerCode }: Pick<Endpoint, 'billerCode'>,
  { type, data }: Pick<FeedEvent, 'type' | 'data'>,
): boolean {
  if (billerCode === null) return true;
  if (!BILLER_EVENTS.some((one) => one === type)) return false;
  const { BillerCode } = JSON.parse(data) as { readonly BillerCode?: string };
  return BillerCode === billerCode;
}

/** What an endpoint cannot be told while it lasts, that it fails or is paused, it is not told afterwards either. */
export function isWanted(endpoint: Endpoint, event: Pick<FeedEvent, 'type' | 'data'>): boolean {
  const { endpointId, eventTypes, alertKinds } = endpoint;
  const { type, data } = event;
  if (!eventTypes.includes(type) || !isInScope(endpoint, event)) return false;
  if (!(ALERT_EVENTS as readonly string[]).includes(type)) return true;
  const { Kind, EndpointId } = JSON.parse(data) as AlertEvent['data'];
  return EndpointId !== endpointId && (alertKinds.length === 0 || alertKinds.some((kind) => kind === Kind));
}

/**
 * The same events to the same endpoint are the same message, so that the receiver knows one that it has had already. After a restore
 * numbers are given to other events, and a receiver must not take these for the ones that it has.
 */
export function messageIdOf(endpointId: string, events: readonly FeedEvent[]): string {
  const text = JSON.stringify([
    endpointId,
    ...events.map(({ number, type, at, data }) => [`${number}`, type, at, data]),
  ]);
  return `msg_${createHash('sha256').update(text).digest('base64url').slice(0, 27)}`;
}
