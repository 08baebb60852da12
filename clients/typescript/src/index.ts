export { Client, type ClientOptions, type Given, type Late, type Method, type Path } from './client.ts';
export type { Outbox, OutboxOptions } from './outbox/outbox.ts';
export type { Report } from './outbox/reports.ts';
export type {
  Drained,
  FoundSale,
  LastFailure,
  OutboxStatus,
  Queued,
  SetAside,
  Signed,
  Sold,
} from './outbox/results.ts';
export { type TaxedLine, type TaxSum, type TaxSums, taxSums } from './tax-sums.ts';
export { verifyWebhook, type WebhookHeaders } from './webhook.ts';
export type * from './wire/api.ts'; // Made by `npm run check` and `npm test`: git ignores it.
export { type Amount, Decimal } from './wire/decimal.ts';
export {
  AccessDeniedError,
  ConflictError,
  type FieldError,
  InvalidRequestError,
  NoAnswerError,
  NotFoundError,
  OutboxError,
  ProblemError,
  TillsealError,
  UnavailableError,
  WebhookError,
} from './wire/errors.ts';
