/** A process whose event loop lags this much answers everyone late; refusing some at once serves the rest in time. */
const LIMITS: OverloadLimits = { largestDelayMs: 1000, probeMs: 50 };

/** This many punctual probes make up for a late one. */
const FORGIVEN_AFTER = 10;

/**
 * This many between two probes are served however late the process is: they are a tenth of a second's work, so a process that
 * lags with no more than these has too little of the machine, not too much to do, and turning them away would not help it.
 */
const ALWAYS_SERVED = 100;

/** A hundred for each connection. More would wait seconds for one, and then for nothing: their senders have given up. */
export const MAX_WAITING = 2000;

export interface OverloadLimits {
  readonly largestDelayMs: number;
  /** How often it looks when nothing is in the way. */
  readonly probeMs: number;
}

export interface OverloadMonitor {
  /** Whether one more request can be answered in time; asked once for each. */
  readonly admits: () => boolean;
  readonly stop: () => void;
}

/**
 * Watches how many wait for the database, and how late a timer comes. Two late ones close together: a single pause, such as
 * a garbage collection, is no overload.
 *
 * Not by monitorEventLoopDelay: after a reset it needs two turns of the loop for its first figure, so read every half second
 * it shows nothing at all once a turn takes that long, which is when it matters.
 */
export function watchOverload(waiting: () => number = () => 0, limits = LIMITS): OverloadMonitor {
  let lateness = 0;
  let served = 0;
  let lastAtMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    const isLate = nowMs - lastAtMs - limits.probeMs > limits.largestDelayMs;
    lateness = isLate ? Math.min(lateness + FORGIVEN_AFTER, 2 * FORGIVEN_AFTER) : Math.max(lateness - 1, 0);
    lastAtMs = nowMs;
    served = 0;
  }, limits.probeMs);
  timer.unref();
  return {
    admits: () => {
      served += 1;
      return waiting() < MAX_WAITING && (lateness <= FORGIVEN_AFTER || served <= ALWAYS_SERVED);
    },
    stop: () => clearInterval(timer),
  };
}
