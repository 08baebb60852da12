import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Question } from './ask.ts';
import { CONNECTIONS, drive, type Load, type LoadResult } from './old-load.ts';
import type { ServiceProcess } from './processes.ts';
import { newReference, receiptBody, type Sender } from './receipt.ts';
import { whole } from './report.ts';

/** Enough for the just-in-time compiler, and to load every device's key before the measurement starts. */
const WARM_UP_REQUESTS = 8000;

export interface Measuring {
  readonly service: ServiceProcess;
  /** A server that only parses and echoes. */
  readonly bareUrl: string;
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly progress: (line: string) => void;
  /** How many receipts were answered, warm-ups included: all of them must be in the table. */
  readonly ledger: { receipts: number };
}

export type Target<From extends { readonly token: string }> = Pick<Load<From>, 'url' | 'senders' | 'marker' | 'bodyOf'>;

export const SEALED = '"DeviceSignature":"';

export const receiptOf = ({ deviceId }: Sender, reference: string): string => receiptBody(deviceId, reference);

export function sealing(service: Pick<ServiceProcess, 'url'>, senders: readonly Sender[]): Target<Sender> {
  return { url: `${service.url}/api/receipt/sign`, marker: SEALED, senders, bodyOf: receiptOf };
}

/** A new receipt of the sender whose turn it is. */
export function nextReceipt(senders: readonly Sender[], turn: number, path = '/api/receipt/sign'): Question {
  const sender = senders[turn % senders.length];
  if (sender === undefined) throw new Error('a receipt needs a sender');
  return { method: 'POST', path, token: sender.token, body: receiptOf(sender, newReference()) };
}

export interface Driven {
  readonly load: LoadResult;
  /** Warm-up included. */
  readonly answered: number;
  readonly errors: number;
  /** During the warm-up: what to expect afterwards. */
  readonly perSecond: number;
}

/** The generator's garbage (the rows of a limit are 60 MB) must not be collected while it measures something else. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** Warms up, then sends as many requests as should take that long at the rate of the warm-up. */
export async function driveWarm<From extends { readonly token: string }>(
  { signal, progress }: Pick<Measuring, 'signal' | 'progress'>,
  name: string,
  target: Target<From>,
  seconds: number,
): Promise<Driven> {
  const run = (phase: string, requests: number) => {
    const onProgress = (answered: number) => progress(`${name}: ${phase}, ${whole(answered)} of ${whole(requests)}`);
    return drive({ ...target, requests, connections: CONNECTIONS, signal, onProgress });
  };
  collectGarbage();
  const warm = await run('warming up', Math.max(WARM_UP_REQUESTS, target.senders.length + 3000));
  const load = await run('measuring', Math.max(CONNECTIONS, Math.round(warm.perSecond * seconds)));
  return {
    load,
    answered: warm.answered + load.answered,
    errors: warm.errors + load.errors,
    perSecond: warm.perSecond,
  };
}

/** The same for receipts, which are counted in the ledger. */
export async function sealWarm(
  measuring: Measuring,
  name: string,
  senders: readonly Sender[],
  seconds: number,
): Promise<Driven> {
  const driven = await driveWarm(measuring, name, sealing(measuring.service, senders), seconds);
  measuring.ledger.receipts += driven.answered;
  return driven;
}
