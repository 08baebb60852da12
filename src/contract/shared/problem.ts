import type { Refusal, RefusalCode, Violation } from '../../kernel/refusal.ts';

export type ProblemCode = RefusalCode | 'InternalError';

/**
 * What a caller does with the request that was refused: send the same later, set it aside until a person has changed it and go on
 * with the next, or stop, because nothing of this token will pass.
 */
export const THEN = ['Again', 'SetAside', 'Stop'] as const;
export type Then = (typeof THEN)[number];

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly Then: Then;
}

/**
 * The one table from refusal to status and to what a caller does. It does not compile when a code is missing. `SetAside` only where
 * the request itself has to change, `Stop` where nothing of this token or address will pass: everything else passes, or is mended elsewhere.
 */
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = {
  InvalidRequest: { status: 400, title: 'The request has errors', Then: 'SetAside' },
  MalformedJson: { status: 400, title: 'The body is not acceptable JSON', Then: 'SetAside' },
  Unauthorized: { status: 401, title: 'Authentication failed', Then: 'Stop' },
  Forbidden: { status: 403, title: 'Not allowed', Then: 'Stop' },
  NotFound: { status: 404, title: 'Not found', Then: 'Again' },
  NoSuchAddress: { status: 404, title: 'There is nothing at this address', Then: 'Stop' },
  MethodNotAllowed: { status: 405, title: 'Method not allowed', Then: 'Again' },
  RequestTimeout: { status: 408, title: 'The request took too long to arrive', Then: 'Again' },
  ReferenceConflict: { status: 409, title: 'The reference is taken', Then: 'SetAside' },
  NotReversible: { status: 409, title: 'The payment cannot be reversed', Then: 'SetAside' },
  BodyTooLarge: { status: 413, title: 'The body is too large', Then: 'SetAside' },
  UnsupportedMediaType: { status: 415, title: 'The content type is not supported', Then: 'SetAside' },
  DeviceBusy: { status: 429, title: 'The device is busy', Then: 'Again' },
  RateLimited: { status: 429, title: 'Too many requests', Then: 'Again' },
  HeadersTooLarge: { status: 431, title: 'The address and headers are too large', Then: 'Again' },
  MaintenanceWindow: { status: 503, title: 'Maintenance window', Then: 'Again' },
  FiscalDayNotOpen: { status: 503, title: 'The fiscal day is not open', Then: 'Again' },
  FiscalDayTooLong: { status: 503, title: 'The fiscal day is too long', Then: 'Again' },
  TaxUnclear: { status: 503, title: 'A tax of the device is unclear', Then: 'Again' },
  DeviceOnHold: { status: 503, title: 'The device is on hold', Then: 'Again' },
  Overloaded: { status: 503, title: 'Too many requests at once', Then: 'Again' },
  Unavailable: { status: 503, title: 'Temporarily unavailable', Then: 'Again' },
  InternalError: { status: 500, title: 'The request failed', Then: 'Again' },
};

/** Of the codes in `errors`, those that are not the receipt's fault: its date is ahead of the clock, its device is not here yet. */
const PASSING: ReadonlySet<string> = new Set(['RCPT031', 'DeviceUnknown']);

/** Of one code, of a whole request or of one field. */
export function thenOfCode(code: string): Then {
  if (isProblemCode(code)) return PROBLEMS[code].Then;
  return PASSING.has(code) ? 'Again' : 'SetAside';
}

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

/** Fields that are wrong pass later only if each of them does. */
function thenOf(code: ProblemCode, errors: readonly Violation[]): Then {
  const passes = code === 'InvalidRequest' && errors.length > 0 && errors.every(({ Code }) => PASSING.has(Code));
  return passes ? 'Again' : PROBLEMS[code].Then;
}

/** Problem details (RFC 9457). `Code` is the stable name; `type` is where it is explained. */
export function problemDocument(
  { code, detail, errors, opensAt }: Omit<Refusal, 'code'> & { readonly code: ProblemCode },
  publicUrl: string,
  requestId: string,
): object {
  const { status, title } = PROBLEMS[code];
  return {
    type: `${publicUrl}/docs/errors#${code}`,
    title,
    status,
    detail,
    Code: code,
    Then: thenOf(code, errors ?? []),
    requestId,
    ...(opensAt === undefined ? {} : { OpensAt: opensAt }),
    // Whoever goes over the errors of every 400 finds one.
    ...(errors === undefined && status !== 400
      ? {}
      : { errors: errors ?? [{ Field: '(body)', Code: 'Malformed', Message: detail }] }),
  };
}
