/** What an answer means for a sale: the table of docs/outbox.md. */
import { ProblemError, retryAfterOf } from '../wire/errors.ts';
import { parseObject } from '../wire/exact-json.ts';
import type { Answer } from '../wire/http.ts';

export interface Verdict {
  readonly kind: 'Signed' | 'Again' | 'SetAside' | 'Stop';
  /** Tillseal's answer; null if there was none, or one from something else. */
  readonly answer: { readonly status: number; readonly text: string } | null;
  /** Of a signed one: its number, and by how many seconds its date was ahead of Tillseal's clock. */
  readonly number: number | null;
  readonly clockAhead: number | null;
  /** Of all others: what went wrong, for people. */
  readonly failure: string;
  readonly afterSeconds: number | null;
  /** Only its date is refused: sent again with `Late-Receipt` it is accepted. */
  readonly isMisdated: boolean;
  readonly isStranger: boolean;
}

const NOTHING = {
  answer: null,
  number: null,
  clockAhead: null,
  failure: '',
  afterSeconds: null,
  isMisdated: false,
  isStranger: false,
} as const;
const SETS_ASIDE = new Set([400, 409, 413, 415]);
const STOPS = new Set([401, 403]);
const MEANINGS = ['Again', 'SetAside', 'Stop'] as const;
/** The limits for the wait that Tillseal asks for. */
const [SHORTEST_SECONDS, LONGEST_SECONDS] = [1, 300];

export function noAnswer(failure: string): Verdict {
  return { ...NOTHING, kind: 'Again', failure };
}

export function judge(reference: string, { status, text, headers }: Omit<Answer, 'bytes'>, isLate: boolean): Verdict {
  const json = parseObject(text);
  const answer = { status, text };
  if (status === 200 && json?.['Reference'] === reference && typeof json['DeviceSignature'] === 'string') {
    const [number, back] = [json['GlobalCounter'], /^-([0-9]{1,9})$/.exec(headers.get('date-advanced') ?? '')];
    const clockAhead = Number(back?.[1] ?? 0) || null;
    return { ...NOTHING, kind: 'Signed', answer, number: typeof number === 'number' ? number : null, clockAhead };
  }
  if (status === 200 || typeof json?.['Code'] !== 'string')
    // A proxy, or a captive portal, whose log-in page has status 200.
    return { ...noAnswer(`status ${status} of something that is not Tillseal`), isStranger: true };
  const asked = retryAfterOf(headers);
  const isMisdated = !isLate && status === 400 && hasOnly(json, ['RCPT030', 'RCPT031']);
  return {
    ...NOTHING,
    kind: isMisdated ? 'Again' : meaningOf(status, json),
    answer,
    failure: `${status} ${json['Code']}: ${new ProblemError(status, text).detail ?? ''}`,
    afterSeconds: asked === null ? null : Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, asked)),
    isMisdated,
  };
}

/** What the service says, or, if it is an older one, what follows from the status. */
function meaningOf(status: number, problem: Readonly<Record<string, unknown>>): Verdict['kind'] {
  const said = MEANINGS.find((one) => one === problem['Then']);
  if (said !== undefined) return said;
  if (STOPS.has(status)) return 'Stop';
  const passes = hasOnly(problem, ['DeviceBlocked', 'RCPT031']) || problem['Code'] === 'DeviceBlocked';
  return SETS_ASIDE.has(status) && !passes ? 'SetAside' : 'Again';
}

function hasOnly({ errors }: Readonly<Record<string, unknown>>, codes: readonly string[]): boolean {
  if (!Array.isArray(errors) || errors.length === 0) return false;
  return errors.every((error: unknown) => codes.some((code) => code === Object(error).Code));
}
