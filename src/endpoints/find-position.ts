import type { Resumption } from '../contract/endpoints/endpoint-shapes.ts';
import { readInstantField } from '../kernel/instant.ts';
import { type Refused, refused, type Violation } from '../kernel/refusal.ts';
import type { Feed } from '../platform/events/feed.ts';
import { WRONG } from './change-endpoint.ts';
import type { ListedEndpoint } from './endpoint-store.ts';

/** Events are numbered in the order of their commits, which may take some seconds from the moment that they carry. */
const MARGIN_MS = 60_000;

/** The number after which an endpoint is to go on; undefined: where it stopped. */
export async function findPosition(
  feed: Feed,
  { tenantId, newestNumber }: ListedEndpoint,
  { After, Since, FromNow }: Resumption,
): Promise<bigint | undefined | Refused> {
  const errors: Violation[] = [];
  const since = readInstantField('Since', Since, errors);
  const given = Object.entries({ After, Since, FromNow: FromNow || undefined }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 1) {
    const Message = 'give After, Since or FromNow, and only one of them';
    errors.push(...given.map(([Field]) => ({ Field, Code: 'Malformed', Message })));
  }
  if (After !== undefined && BigInt(After) > newestNumber) {
    errors.push({ Field: 'After', Code: 'OutOfRange', Message: `the newest event is number ${newestNumber}` });
  }
  if (errors.length > 0) return refused({ ...WRONG, errors });
  if (FromNow) return newestNumber;
  if (After !== undefined) return BigInt(After);
  return since && numberBefore(feed, tenantId, newestNumber, new Date(since.getTime() - MARGIN_MS));
}

/** A binary search, because numbers have no gaps. */
async function numberBefore(feed: Feed, tenantId: string, newest: bigint, at: Date): Promise<bigint> {
  let low = 0n;
  let high = newest;
  while (low < high) {
    const middle = (low + high) / 2n;
    const [event] = await feed.list(tenantId, middle, 1);
    if (event !== undefined && event.at < at) low = middle + 1n;
    else high = middle;
  }
  return low;
}
