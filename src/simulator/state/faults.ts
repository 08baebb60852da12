/** Trouble on demand, described in docs/simulator.md. Kept in memory; a restart ends it. */

export const FAULT_KINDS = [
  'outage',
  'delay',
  'delay-answer',
  'lose-answer',
  'error-500',
  'refuse',
  'remark',
  'close-failed',
  'amend-answer',
] as const;

export interface Fault {
  readonly kind: (typeof FAULT_KINDS)[number];
  /** How many matching calls it strikes; without it all until it is removed. */
  readonly count: number | undefined;
  /** Strikes only each n-th matching call. */
  readonly every: number | undefined;
  readonly delayMs: number | undefined;
  /** Of `error-500`: another status, such as 429 or 502. Of `amend-answer`: in place of the answer's own. */
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly colour: 'Red' | 'Yellow' | 'Grey' | undefined;
  readonly operation: string | undefined;
  readonly deviceId: number | undefined;
  /** Of `close-failed`: the day is FiscalDayOpened again, beside the error or without any. */
  readonly isLeftOpen: boolean | undefined;
  /** Of `amend-answer`: these take the place of the answer's own; null takes one away. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  /** Of `amend-answer`: the same for headers. */
  readonly headers: Readonly<Record<string, unknown>> | undefined;
  /** Of `amend-answer`: regular expressions and what their matches in the text of the answer become, in this order. */
  readonly replace: readonly { readonly find: RegExp; readonly with: string }[] | undefined;
}

interface ActiveFault {
  readonly fault: Fault;
  seen: number;
  struck: number;
}

export interface FaultedCall {
  readonly operation: string;
  readonly deviceId: number | undefined;
}

export class Faults {
  #active: ActiveFault[] = [];

  add(fault: Fault): void {
    this.#active.push({ fault, seen: 0, struck: 0 });
  }

  clear(): void {
    this.#active = [];
  }

  list(): (Fault & { readonly seen: number; readonly struck: number })[] {
    return this.#active.map(({ fault, seen, struck }) => ({ ...fault, seen, struck }));
  }

  /** Nothing gets through at all, so that even connecting fails. */
  isCutOff(): boolean {
    return this.#active.some(
      ({ fault }) =>
        fault.kind === 'outage' &&
        fault.count === undefined &&
        fault.every === undefined &&
        fault.operation === undefined &&
        fault.deviceId === undefined,
    );
  }

  /** The faults that strike this call; each is used up by it. Called once for every call. */
  strike(call: FaultedCall): Fault[] {
    return this.#active.filter((active) => strikes(active, call)).map(({ fault }) => fault);
  }

  /** How a closing that was accepted is made to fail, whatever its checks would say. Called once for every decision. */
  strikeClosing(deviceId: number): Fault | undefined {
    return this.strike({ operation: CLOSING_DECISION, deviceId })[0];
  }
}

/** No operation of the protocol: the authority decides on its own time, after CloseDay was answered. */
const CLOSING_DECISION = 'the decision of a closing';

function strikes(active: ActiveFault, call: FaultedCall): boolean {
  const { fault } = active;
  if (!concerns(fault, call) || (fault.count !== undefined && active.struck >= fault.count)) return false;
  active.seen += 1;
  if (fault.every !== undefined && active.seen % fault.every !== 0) return false;
  active.struck += 1;
  return true;
}

function concerns(fault: Fault, call: FaultedCall): boolean {
  if (fault.deviceId !== undefined && fault.deviceId !== call.deviceId) return false;
  if (fault.kind === 'close-failed' || call.operation === CLOSING_DECISION) {
    return fault.kind === 'close-failed' && call.operation === CLOSING_DECISION;
  }
  if (fault.operation !== undefined) return fault.operation === call.operation;
  if (fault.kind === 'remark') return call.operation === 'SubmitReceipt';
  if (fault.kind === 'refuse') return refusesByItself(fault.code ?? 'RCPT02', call.operation);
  return true;
}

/** A code belongs to the operations that can answer it. */
function refusesByItself(code: string, operation: string): boolean {
  if (code.startsWith('RCPT')) return operation === 'SubmitReceipt';
  if (code === 'FISC01') return operation === 'OpenDay';
  if (code.startsWith('FISC')) return operation === 'CloseDay';
  return true;
}
