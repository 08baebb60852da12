import type { Pool } from 'pg';
import type { EndpointAttempt } from '../contract/endpoints/endpoint-shapes.ts';
import { ALERT_EVENTS } from '../contract/shared/values.ts';
import { newId } from '../kernel/ids.ts';
import { Refused, refused } from '../kernel/refusal.ts';
import type { Change } from '../platform/database/audit.ts';
import type { Transaction } from '../platform/database/database.ts';
import { refuseWhileCommitsWait } from '../platform/database/writing.ts';
import type { Feed, TenantEvent } from '../platform/events/feed.ts';
import { type AttemptRecord, deleteSetAside, insertAttempt } from './attempt-store.ts';
import { auditOf, confirmed, NO_ENDPOINT, usable } from './change-endpoint.ts';
import { confirmationEvent } from './confirm-endpoint.ts';
import { isInScope } from './core/batch.ts';
import { type Endpoint, isMail } from './core/endpoint.ts';
import type { EndpointContext } from './endpoint-context.ts';
import { findEndpoint, lockEndpoint } from './endpoint-store.ts';
import { sendEvents } from './send-events.ts';
import { type Transports, transportOf } from './transport.ts';

export interface SendingContext extends EndpointContext {
  readonly pool: Pool;
  readonly feed: Feed;
  readonly transports: Transports;
  /** Ends what is under way: the service stops. */
  readonly stopping: AbortSignal;
}

/** A test event, at once, also while the endpoint is paused. Another message each time. */
export async function sendTest(context: SendingContext, endpointId: string): Promise<AttemptRecord | Refused> {
  const endpoint = usable(await findEndpoint(context.pool, endpointId, context.scope), context);
  if (endpoint instanceof Refused) return endpoint;
  const test = { number: 0n, type: 'endpoint.test', at: context.clock(), data: '{}' };
  const event = endpoint.state === 'Unconfirmed' ? await confirmationEvent(context, endpoint) : test;
  return event instanceof Refused ? event : sendOne(context, endpoint, event, `msg_${newId()}`);
}

/** One event of the feed, at once and alone, whatever its type; by mail one of an alert. */
export async function resendEvent(
  context: SendingContext,
  endpointId: string,
  number: bigint,
): Promise<AttemptRecord | Refused> {
  const endpoint = confirmed(await findEndpoint(context.pool, endpointId, context.scope), context);
  if (endpoint instanceof Refused) return endpoint;
  const [event] = await context.feed.list(endpoint.tenantId, number - 1n, 1);
  if (event?.number !== number || !isInScope(endpoint, event)) {
    const Message = `there is no event ${number}; the newest is ${endpoint.newestNumber}`;
    const errors = [{ Field: 'Number', Code: 'OutOfRange', Message }];
    return refused({ code: 'InvalidRequest', detail: 'There is no such event.', errors });
  }
  if (isMail(endpoint.address) && !ALERT_EVENTS.some((type) => type === event.type)) {
    const Message = `event ${number} is ${event.type}, and mail is about alerts only`;
    const errors = [{ Field: 'Number', Code: 'NotOneOf', Message }];
    return refused({ code: 'InvalidRequest', detail: 'This event cannot be sent by mail.', errors });
  }
  return sendOne(context, endpoint, event);
}

async function sendOne(
  { pool, transports, clock, stopping }: SendingContext,
  endpoint: Endpoint,
  event: TenantEvent,
  messageId?: string,
): Promise<AttemptRecord> {
  refuseWhileCommitsWait(pool);
  const delivery = { endpoint, events: [event], isInLine: false, signal: stopping, ...(messageId && { messageId }) };
  const { attempt } = await sendEvents(transportOf(transports, endpoint), clock, delivery);
  return attempt;
}

/** Afterwards, in one transaction with its entry in the audit log. One that was set aside is so no more when it was taken. */
export async function recordSent(
  tx: Transaction,
  context: EndpointContext,
  action: string,
  attempt: AttemptRecord,
): Promise<Change<EndpointAttempt> | Refused> {
  const endpoint = await lockEndpoint(tx, attempt.endpointId, context.scope);
  if (endpoint === undefined) return refused(NO_ENDPOINT);
  if (attempt.outcome === 'Taken') await deleteSetAside(tx, attempt.endpointId, attempt.lastNumber);
  const answer = await insertAttempt(tx, attempt);
  return { ...auditOf(action, endpoint), after: answer, answer };
}
