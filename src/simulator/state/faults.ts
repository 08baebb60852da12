/** Trouble on demand, described in docs/simulator.md. Kept in memory; a restart ends it. */
import type { Fields } from '../wire/fields.ts';

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

export type Fault = Readonly<ReturnType<typeof readFault>>;

export const readFault = (fields: Fields) => ({
  kind: fields.oneOf('kind', FAULT_KINDS),
  /** How many matching calls it strikes; without it all until it is removed. */
  count: fields.optionalInteger('count'),
  /** Strikes only each n-th matching call. */
  every: fields.optionalInteger('every'),
  delayMs: fields.optionalInteger('delayMs'),
  /** Of `error-500`: another status, such as 429 or 502. Of `amend-answer`: in place of the answer's own. */
  status: fields.optionalInteger('status', 599),
  code: fields.optionalText('code', 40),
  colour: fields.optionalOneOf('colour', ['Red', 'Yellow', 'Grey']),
  operation: fields.optionalText('operation', 40),
  deviceId: fields.optionalInteger('deviceId'),
  /** Of `close-failed`: the day is FiscalDayOpened again, beside the error or without any. */
  isLeftOpen: fields.optionalBoolean('isLeftOpen'),
  /** Of `amend-answer`: these take the place of the answer's own; null takes one away. */
  fields: fields.optionalJson('fields'),
  /** Of `amend-answer`: the same for headers. */
  headers: fields.optionalJson('headers'),
  /** Of `amend-answer`: regular expressions and what their matches in the text of the answer become, in this order. */
  replace: fields.optionalList('replace', readReplacement),
});

function readReplacement(fields: Fields) {
  const pattern = fields.text('find', 1000);
  return { find: readPattern(fields, pattern), with: fields.optionalText('with', 10_000) ?? '' };
}

function readPattern(fields: Fields, pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'gs');
  } catch {
    fields.fault('find', 'must be a regular expression');
    return /$^/;
  }
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
