/**
 * The signing service as a client sees it: two requests of its HTTP contract. Whatever happens comes back as a value. What is
 * not that contract's answer (a proxy's page, half a body) counts as no answer: it proves nothing either way.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Pool } from 'undici';
import type { Violation } from '../../kernel/refusal.ts';
import { bodyShape } from '../../platform/http/shape.ts';
import { parseExactJson } from '../../platform/json/exact-json.ts';
import { exactValue } from '../../platform/json/exact-value.ts';
import { SignedReceipt } from '../core/fiscal-receipt.ts';
import type { SignedInvoice, SigningAnswer } from '../core/signing-answer.ts';

export interface SigningClient {
  sign(token: string, body: string): Promise<SigningAnswer>;
  /** The receipt of this reference as it stands now; refused with 404 where there is none. */
  find(token: string, reference: string): Promise<SigningAnswer>;
  close(): Promise<void>;
}

const DEADLINE_MS = 30_000;
const CONNECTIONS = 32;
/** A receipt of 2,000 lines is near half of it. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A till follows the same: asked every five minutes, nobody waits longer than that after a mistake. */
const MAX_RETRY_SECONDS = 300;

const signedShape = bodyShape(SignedReceipt);
const exactReceipt = exactValue(SignedReceipt);

export function createSigningClient(fiscalUrl: string, deadlineMs = DEADLINE_MS): SigningClient {
  const url = new URL(fiscalUrl);
  const pool = new Pool(url.origin, {
    connections: CONNECTIONS,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_BYTES,
    connect: { timeout: Math.min(deadlineMs, 10_000) },
  });
  const prefix = url.pathname.replace(/\/$/, '');
  const send = async (method: 'GET' | 'POST', path: string, token: string, body?: string): Promise<SigningAnswer> => {
    try {
      const response = await pool.request({
        method,
        path: `${prefix}${path}`,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body ?? null,
        signal: AbortSignal.timeout(deadlineMs),
      });
      const answer = Buffer.from(await response.body.arrayBuffer());
      return readAnswer(response.statusCode, response.headers, answer);
    } catch (error) {
      return { kind: 'lost', reason: reasonOf(error, deadlineMs) };
    }
  };
  return {
    sign: (token, body) => send('POST', '/api/receipt/sign', token, body),
    find: (token, reference) => send('GET', `/api/receipt/${encodeURIComponent(reference)}`, token),
    close: () => pool.destroy(),
  };
}

export function readAnswer(status: number, headers: IncomingHttpHeaders, body: Buffer): SigningAnswer {
  if (status !== 200) return readRefusal(status, headers, body);
  try {
    return { kind: 'sealed', sealed: readSealed(body) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'lost', reason: `its answer is not a signed receipt (${message})` };
  }
}

function readSealed(body: Buffer): SignedInvoice {
  const json = parseExactJson(body);
  const [fault] = signedShape(json);
  if (fault !== undefined) throw new Error(`${fault.Field} ${fault.Message}`);
  const signed = exactReceipt(json) as SignedReceipt;
  return {
    receipt: signed,
    text: body.toString('utf8'),
    signature: signed.QrCodeContent,
    metadata: JSON.stringify({
      VerificationCode: signed.VerificationCode,
      DeviceId: signed.AuthorityDeviceId,
      DeviceSerialNumber: signed.DeviceSerialNumber,
      FiscalDayNumber: signed.FiscalDayNumber,
      FiscalDayCounter: signed.FiscalDayCounter,
      GlobalCounter: signed.GlobalCounter,
    }),
  };
}

function readRefusal(status: number, headers: IncomingHttpHeaders, body: Buffer): SigningAnswer {
  const problem = problemOf(body);
  const text = (key: string) => (typeof problem?.[key] === 'string' ? problem[key] : undefined);
  const code = text('Code');
  return {
    kind: 'refused',
    status,
    code,
    verdict: text('Then'),
    detail: text('detail') ?? 'without saying why.',
    errors: Array.isArray(problem?.['errors']) ? problem['errors'].filter(isViolation) : [],
    // The answer of a proxy in between says nothing about the receipt.
    retryAfterSeconds: code === undefined ? undefined : retryAfter(headers['retry-after']),
  };
}

function problemOf(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function isViolation(value: unknown): value is Violation {
  const fields = Object(value) as Record<string, unknown>;
  return ['Field', 'Code', 'Message'].every((name) => typeof fields[name] === 'string');
}

/** Seconds only: that is what the contract has. A date would make us depend on two clocks. */
function retryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^\d{1,9}$/.test(header)) return undefined;
  return Math.min(Math.max(Number(header), 1), MAX_RETRY_SECONDS);
}

function reasonOf(error: unknown, deadlineMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `nothing came within ${deadlineMs / 1000} s`;
  return 'code' in error && typeof error.code === 'string'
    ? `${error.message || error.name} (${error.code})`
    : error.message;
}
