import type { FastifyReply } from 'fastify';
import type { Refusal, RefusalCode } from '../../kernel/refusal.ts';

/** The one table from refusal to HTTP status. It does not compile when a code is missing. */
export const PROBLEMS: Readonly<
  Record<RefusalCode | 'InternalError', { readonly status: number; readonly title: string }>
> = {
  InvalidRequest: { status: 400, title: 'The request has errors' },
  MalformedJson: { status: 400, title: 'The body is not acceptable JSON' },
  Unauthorized: { status: 401, title: 'Authentication failed' },
  Forbidden: { status: 403, title: 'Not allowed' },
  NotFound: { status: 404, title: 'Not found' },
  MethodNotAllowed: { status: 405, title: 'Method not allowed' },
  RequestTimeout: { status: 408, title: 'The request took too long to arrive' },
  ReferenceConflict: { status: 409, title: 'The reference is taken' },
  NotReversible: { status: 409, title: 'The payment cannot be reversed' },
  BodyTooLarge: { status: 413, title: 'The body is too large' },
  UnsupportedMediaType: { status: 415, title: 'The content type is not supported' },
  DeviceBusy: { status: 429, title: 'The device is busy' },
  RateLimited: { status: 429, title: 'Too many requests' },
  HeadersTooLarge: { status: 431, title: 'The address and headers are too large' },
  MaintenanceWindow: { status: 503, title: 'Maintenance window' },
  FiscalDayNotOpen: { status: 503, title: 'The fiscal day is not open' },
  FiscalDayTooLong: { status: 503, title: 'The fiscal day is too long' },
  DeviceOnHold: { status: 503, title: 'The device is on hold' },
  Overloaded: { status: 503, title: 'Too many requests at once' },
  Unavailable: { status: 503, title: 'Temporarily unavailable' },
  InternalError: { status: 500, title: 'The request failed' },
};

/** Answers with problem details (RFC 9457). `Code` is the stable name; `type` is where it is explained. */
export function sendProblem(
  reply: FastifyReply,
  refusal: Refusal | (Omit<Refusal, 'code'> & { readonly code: 'InternalError' }),
): FastifyReply {
  const { status, title } = PROBLEMS[refusal.code];
  if (refusal.retryAfterSeconds !== undefined)
    reply.header('retry-after', Math.max(1, Math.ceil(refusal.retryAfterSeconds)));
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="tillseal"');
  return reply
    .code(status)
    .type('application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({
      type: `${reply.server.publicUrl}/docs/errors#${refusal.code}`,
      title,
      status,
      detail: refusal.detail,
      Code: refusal.code,
      requestId: reply.request.id,
      ...(refusal.opensAt === undefined ? {} : { OpensAt: refusal.opensAt }),
      ...(refusal.errors === undefined ? {} : { errors: refusal.errors }),
    });
}
