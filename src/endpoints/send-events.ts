import type { Clock } from '../platform/clock.ts';
import type { TenantEvent } from '../platform/events/feed.ts';
import type { AttemptRecord } from './attempt-store.ts';
import { messageIdOf } from './core/batch.ts';
import type { Delivery, DeliveryResult, Transport } from './transport.ts';

/** Sends these events once, and says what came back as it is written down. */
export async function sendEvents(
  transport: Transport,
  clock: Clock,
  given: Omit<Delivery, 'messageId' | 'events'> & {
    readonly messageId?: string;
    readonly events: readonly TenantEvent[];
  },
): Promise<{ readonly attempt: AttemptRecord; readonly result: DeliveryResult }> {
  const { endpoint, events } = given;
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) throw new Error('there is nothing to send');
  const messageId = given.messageId ?? messageIdOf(endpoint.endpointId, events);
  const startedAt = clock();
  const startedMs = performance.now();
  const result = await transport.send({ ...given, messageId });
  const attempt: AttemptRecord = {
    endpointId: endpoint.endpointId,
    messageId,
    firstNumber: first.number,
    lastNumber: last.number,
    eventCount: events.length,
    startedAt,
    durationMs: Math.round(performance.now() - startedMs),
    outcome: result.outcome === 'Gone' ? 'Failed' : result.outcome,
    statusCode: result.statusCode,
    answer: result.answer,
    error: result.error,
  };
  return { attempt, result };
}
