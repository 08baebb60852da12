/** What becomes of a call: the faults in force and the log of calls, around what is asked and answered in perform.ts. */
import { randomInt, type X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { forcedRemark } from '../core/remarks.ts';
import type { Authority } from '../state/authority.ts';
import type { CallLog, CallRecord } from '../state/call-log.ts';
import type { Fault, Faults } from '../state/faults.ts';
import { type Answer, failed, refused } from '../wire/answer.ts';
import { encodeWire } from '../wire/encode.ts';
import { perform } from './perform.ts';
import { findTarget, type Target } from './routes.ts';

export interface GatewayOptions {
  readonly authority: Authority;
  readonly faults: Faults;
  readonly calls: CallLog;
}

export interface GatewayCall {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly peerCertificate: X509Certificate | undefined;
  /** Undefined: it is too large. */
  readonly readBody: () => Promise<Buffer | undefined>;
}

export interface Written {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUV';

/** Answers undefined where the connection is to be cut without an answer. */
export function createAnswering(options: GatewayOptions) {
  // In the look of the real ones, `0HMPH9AF0QKKE:00000005`: unique per start, then per call.
  const start = Array.from({ length: 13 }, () => DIGITS[randomInt(32)]).join('');
  let count = 0;
  return (call: GatewayCall): Promise<Written | undefined> => {
    count += 1;
    return answerCall(options, `${start}:${count.toString(16).toUpperCase().padStart(8, '0')}`, call);
  };
}

async function answerCall(options: GatewayOptions, id: string, call: GatewayCall): Promise<Written | undefined> {
  const { authority, calls, faults } = options;
  const startedAtMs = performance.now();
  const url = URL.parse(call.url ?? '/', 'https://localhost');
  const target = url ? findTarget(url.pathname) : undefined;
  if (!url || !target) return write(authority, failed(404), id);
  if (call.method !== target.method) return write(authority, failed(405), id);

  const { operation, deviceId } = target;
  const record = calls.begin({ operationId: id, operation, deviceId, traceparent: call.headers['traceparent'] });
  try {
    const struck = faults.strike(target);
    record.faults = struck.map(({ kind }) => kind);
    const answer = await answerWithFaults(authority, call, target, url.searchParams, struck, record);
    const late = struck.find(({ kind }) => kind === 'delay-answer');
    if (late) await delay(late.delayMs ?? 1000);
    if (answer === undefined || struck.some(({ kind }) => kind === 'lose-answer')) return undefined;
    record.status = answer.status;
    record.errorCode = 'problem' in answer ? answer.problem.errorCode : undefined;
    return write(authority, answer, id, struck);
  } finally {
    // In flight ends before the bytes leave: the caller's next call must not seem to overlap with this one.
    calls.end(record, startedAtMs);
  }
}

async function answerWithFaults(
  authority: Authority,
  { headers, peerCertificate, readBody }: GatewayCall,
  target: Target,
  query: URLSearchParams,
  struck: readonly Fault[],
  record: CallRecord,
): Promise<Answer | undefined> {
  const fault = (kind: Fault['kind']) => struck.find((candidate) => candidate.kind === kind);
  if (fault('outage')) return undefined;
  const body = await readBody();
  if (body === undefined) return failed(413);
  record.receiptGlobalNo = target.operation === 'SubmitReceipt' ? globalNoOf(body) : undefined;
  const slow = fault('delay');
  if (slow) await delay(slow.delayMs ?? 1000);
  const failure = fault('error-500');
  if (failure) return failed(failure.status ?? 500);
  const refusal = fault('refuse');
  if (refusal) return refused(refusal.code ?? 'RCPT02');
  const forcedRemarks = struck
    .filter(({ kind }) => kind === 'remark')
    .map(({ code, colour }) => forcedRemark(code ?? 'RCPT020', colour));
  return perform(authority, { target, headers, query, body, peerCertificate, forcedRemarks });
}

/**
 * The date is the authority's own, from which a client may learn how far its clock is off. `struck`: the answer as another version of
 * the authority might give it, or a proxy in between.
 */
function write({ clock }: Authority, answer: Answer, operationID: string, struck: readonly Fault[] = []): Written {
  const isProblem = 'problem' in answer;
  const amendments = struck.filter(({ kind }) => kind === 'amend-answer');
  const fields = isProblem ? [] : amendments.map((one) => one.fields);
  const body = Object.assign({}, isProblem ? answer.problem : answer.body, { operationID }, ...fields);
  const text = amendments
    .flatMap(({ replace = [] }) => replace)
    .reduce((written, { find, with: other }) => written.replace(find, other), encodeWire(body));
  const headers: Record<string, unknown> = Object.assign(
    {
      'content-type': isProblem ? 'application/problem+json' : 'application/json',
      date: new Date(clock.instant() * 1000).toUTCString(),
      operationId: operationID,
    },
    ...amendments.map((one) => one.headers),
  );
  return {
    status: amendments.findLast(({ status }) => status !== undefined)?.status ?? answer.status,
    headers: Object.fromEntries(
      Object.entries(headers).filter((one): one is [string, string] => typeof one[1] === 'string'),
    ),
    text,
  };
}

/** For the log only, of whatever was sent. */
function globalNoOf(body: Buffer): number | undefined {
  const digits = /"receiptGlobalNo"\s*:\s*(\d{1,10})/.exec(body.toString('utf8'))?.[1];
  return digits === undefined ? undefined : Number(digits);
}
