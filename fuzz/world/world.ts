import type { Demo } from '../../src/demo/demo.ts';
import type { ServiceDocument } from './document.ts';
import type { Names } from './names.ts';

export type Headers = readonly (readonly [string, string])[];
/** What answers name, where they do. */
export type Made = Readonly<
  Record<'TaxpayerId' | 'TokenId' | 'Token' | 'VendorId' | 'Code' | 'OperatorId' | 'OneTimePassword', string>
>;

/** One way to say who one is. */
export interface Credential {
  readonly name: string;
  readonly headers: Headers;
  /** Which addresses it opens; undefined: none. */
  readonly opens?: 'admin' | 'receipts' | 'payments';
}

/** What the fuzzer knows of the installation it attacks. */
export interface World {
  readonly url: string;
  readonly demo: Demo;
  readonly document: ServiceDocument;
  readonly names: Names;
  readonly operatorToken: string;
  readonly vendorId: string;
  readonly credentials: readonly Credential[];
  /** Its log-in is worn out by trying: nothing else depends on it. */
  readonly leaver: { readonly email: string; password: string };
  /** Asks as the operator, and insists on a good answer. */
  readonly ask: (method: string, path: string, body?: object) => Promise<Made>;
  /** Adds an operator and logs it in; resolves with the cookie. */
  readonly logIn: (role: string) => Promise<string>;
  /** A number nobody has had yet. */
  readonly next: () => number;
}
