import { newId } from '../kernel/ids.ts';
import { INSTALLATION_ID } from '../platform/events/feed.ts';
import type { Log } from '../platform/logging/log.ts';
import { claimTelling, noteTold } from './alert-store.ts';
import { eventsOf } from './announce-alerts.ts';
import { isWanted } from './core/batch.ts';
import { MOST_PER_TENANT } from './create-endpoint.ts';
import { listEndpoints } from './endpoint-store.ts';
import type { SendingContext } from './send-by-hand.ts';
import { transportOf } from './transport.ts';

type TellingContext = Pick<SendingContext, 'pool' | 'clock' | 'transports' | 'stopping'> & { readonly log: Log };

/** Sends the installation's endpoints what cannot be in their feed while it is true. It has no number, goes beside what is sent in order, and is not written down. */
export async function tellApart({ pool, clock, log, transports, stopping }: TellingContext): Promise<void> {
  const now = clock();
  const alert = await claimTelling(pool, now);
  if (alert === undefined) return;
  const events = eventsOf(alert, now).map((event) => ({ ...event, number: null, data: JSON.stringify(event.data) }));
  const active = await listEndpoints(pool, { tenantId: INSTALLATION_ID, state: 'Active' }, MOST_PER_TENANT);
  const wanting = active.filter((endpoint) => events.every((event) => isWanted(endpoint, event)));
  const told = wanting.map(async (endpoint) => {
    const delivery = { endpoint, messageId: `msg_${newId()}`, events, isInLine: false, signal: stopping };
    const { outcome, error } = await transportOf(transports, endpoint).send(delivery);
    const { endpointId } = endpoint;
    if (outcome !== 'Taken') log.warn({ endpointId, error }, 'an endpoint could not be told of commits that wait');
    return outcome === 'Taken';
  });
  if (told.length === 0 || (await Promise.all(told)).includes(true)) await noteTold(pool, alert, now);
}
