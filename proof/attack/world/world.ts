import type { Demo } from '../../../src/demo/demo.ts';
import type { ServiceDocument } from './document.ts';
import type { Names } from './names.ts';

export type Headers = readonly (readonly [string, string])[];
/** Fields of the administration's answers; each answer has some of them. */
export type Made = Readonly<
  Record<'TaxpayerId' | 'TokenId' | 'Token' | 'VendorId' | 'Code' | 'PersonId' | 'OneTimePassword', string>
>;

type Area = 'admin' | 'receipts' | 'payments';

/** One way to authenticate. */
export interface Credential {
  readonly name: string;
  readonly headers: Headers;
  /** The addresses it gives access to; undefined: none. */
  readonly opens?: Area;
  /** The addresses at which it may ask, and is told nothing, because all there is belongs to others. */
  readonly snoops?: Area;
}

/** What the fuzzer knows about the installation that it attacks. */
export interface World {
  readonly url: string;
  readonly demo: Demo;
  readonly document: ServiceDocument;
  readonly names: Names;
  readonly operatorToken: string;
  readonly vendorId: string;
  /** What stands in whatever belongs to the demo's tenants. */
  readonly isOfOthers: RegExp;
  readonly credentials: readonly Credential[];
  /** Its log-ins are refused after many attempts, so nothing else depends on it. */
  readonly leaver: { readonly email: string; password: string };
  /** Asks as the operator; throws unless the answer is good. */
  readonly ask: (method: string, path: string, body?: object) => Promise<Made>;
  /** Adds an operator and logs it in; resolves with the cookie. */
  readonly logIn: (role: string) => Promise<string>;
  /** A number that was not used before. */
  readonly next: () => number;
}
