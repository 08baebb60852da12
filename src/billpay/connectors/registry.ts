import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectorName } from '../../contract/billpay/biller.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Connector, LocalConnector, OnlineConnector, PayAnswer, PaymentAtBiller } from './port.ts';

/** Accepted here; the biller learns of it from the list of payments. */
export const offlineConnector: LocalConnector = { settlesHere: true };

export type Connectors = Readonly<Record<ConnectorName, Connector>>;

/** Every connector by the name a biller's configuration gives. It does not compile when one is missing. */
export function createConnectors(options: TestConnectorOptions): Connectors {
  return { Offline: offlineConnector, Test: createTestConnector(options) };
}

interface TestConnectorOptions {
  readonly clock: Clock;
  /** How late the late ones answer. */
  readonly lateMs: number;
  /** How long a pending payment stays so. */
  readonly pendingMs: number;
}

/**
 * A biller that fails on demand, by the prefix of the member number: AF the authorisation is refused, AT it comes late,
 * PF the payment fails, PFF it is flagged, PP it stays pending for a while, PT its answer comes late. Everything else is paid. It
 * keeps nothing, so every instance gives the same answer, also after a restart.
 */
function createTestConnector({ clock, lateMs, pendingMs }: TestConnectorOptions): OnlineConnector {
  const outcome = ({ memberNumber, askedAt }: PaymentAtBiller): PayAnswer => {
    // PFF first, because it begins with PF.
    if (memberNumber.startsWith('PFF'))
      return { kind: 'flagged', reason: 'The biller cannot say whether it was paid.' };
    if (memberNumber.startsWith('PF')) return { kind: 'failed', reason: 'The biller did not take the payment.' };
    const isPending = memberNumber.startsWith('PP') && clock().getTime() - askedAt.getTime() < pendingMs;
    return { kind: isPending ? 'pending' : 'paid' };
  };
  return {
    settlesHere: false,
    authorise: async ({ memberNumber }, signal) => {
      if (memberNumber.startsWith('AT')) await delay(lateMs, undefined, { signal });
      if (memberNumber.startsWith('AF')) return { kind: 'refused', reason: 'The biller knows no such member.' };
      return { kind: 'accepted' };
    },
    pay: async (payment, signal) => {
      if (payment.memberNumber.startsWith('PT')) await delay(lateMs, undefined, { signal });
      return outcome(payment);
    },
    inquire: async (payment) => Promise.resolve(outcome(payment)),
    reverse: async () => Promise.resolve({ kind: 'reversed' }),
  };
}
