import type { Demo } from '../../../src/demo/demo.ts';
import type { ServiceDocument } from './document.ts';
import type { Names } from './names.ts';

export type Headers = readonly (readonly [string, string])[];
/** Fields of the administration's answers; each answer has some of them. */
export type Made = Readonly<
  Record<'TaxpayerId' | 'TokenId' | 'Token' | 'VendorId' | 'Code' | 'PersonId' | 'OneTimePassword', string>
>;

/** One way to authenticate. */
export interface Credential {
  readonly name: string;
  readonly headers: Headers;
  /** The addresses it gives access to; undefined: none. */
  readonly opens?: 'admin' | 'receipts' | 'payments';
}

/** What the fuzzer knows about the installation that it attacks. */
export interface World {
  readonly url: string;
  readonly demo: Demo;
  readonly document: ServiceDocument;
  readonly names: Names;
  readonly operatorToken: string;
  readonly vendorId: string;
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
