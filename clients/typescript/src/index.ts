export type * from './api.ts';
export { type Address, type ClientOptions, type Given, Tillseal } from './client.ts';
export { type Amount, Decimal } from './decimal.ts';
export {
  AnswerError,
  BusyError,
  ConflictError,
  type FieldError,
  JournalError,
  NetworkError,
  NotFoundError,
  RefusedError,
  ServiceError,
  TillsealError,
  UnauthorisedError,
} from './errors.ts';
export type { Connection } from './http.ts';
export { Outbox, type OutboxOptions, type OutboxStatus, type Sold } from './outbox/outbox.ts';
export type { Attempt } from './outbox/sender.ts';
export { type TaxedLine, type TaxSum, type TaxSums, taxSums } from './tax-sums.ts';
export { isGenuineWebhook, type WebhookHeaders } from './webhook.ts';
