const HEADER = /^waiting=(0|[1-9]\d{0,5}), seconds=(0|[1-9]\d{0,8})$/;
const BEHIND_SECONDS = 60;

export interface OutboxBacklog {
  /** Sales that are left on a till that is behind; 0: it is not. */
  readonly waitingSales: number;
  /** For how long the first of them had waited. */
  readonly waitingSeconds: number;
}

/**
 * `Outbox-Backlog`, as an outbox sends it (docs/outbox.md, "Sending"). It informs people only, so anything else is ignored. The last sale of a
 * long queue has waited for long, too, and nothing is said after it: so whether its answer ended it counts.
 */
export function readOutboxBacklog(header: unknown, hasEnded: boolean): OutboxBacklog | undefined {
  const match = typeof header === 'string' ? HEADER.exec(header) : null;
  if (match === null) return undefined;
  const [waiting, waitingSeconds] = [Number(match[1]), Number(match[2])];
  const isBehind = waiting > 1 || waitingSeconds > BEHIND_SECONDS;
  return { waitingSales: isBehind ? Math.max(0, hasEnded ? waiting - 1 : waiting) : 0, waitingSeconds };
}
