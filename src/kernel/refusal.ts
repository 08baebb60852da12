/**
 * A refusal is a value, not an exception: the caller asked for something we will not do, and can be told what to change.
 * Its code is stable and decides the HTTP status (contract/shared/problem.ts holds the one table).
 */
export type RefusalCode =
  | 'InvalidRequest'
  | 'MalformedJson'
  | 'UnsupportedMediaType'
  | 'BodyTooLarge'
  | 'RequestTimeout'
  | 'HeadersTooLarge'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'NoSuchAddress'
  | 'MethodNotAllowed'
  | 'ReferenceConflict'
  | 'NotReversible'
  | 'DeviceBusy'
  | 'RateLimited'
  | 'MaintenanceWindow'
  | 'FiscalDayNotOpen'
  | 'FiscalDayTooLong'
  | 'TaxUnclear'
  | 'DeviceOnHold'
  | 'Overloaded'
  | 'Unavailable';

export interface Refusal {
  readonly code: RefusalCode;
  readonly detail: string;
  readonly errors?: readonly Violation[];
  readonly retryAfterSeconds?: number;
  /** When what is shut opens, with its offset; where that is known. */
  readonly opensAt?: string;
}

/** One thing that is wrong with one field. The names are those of the wire. */
export interface Violation {
  readonly Field: string;
  readonly Code: string;
  readonly Message: string;
}

/** A refusal where an answer was expected: told apart from every answer by its class. */
export class Refused {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    this.refusal = refusal;
  }
}

export const refused = (refusal: Refusal): Refused => new Refused(refusal);
