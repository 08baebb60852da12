import type { Demo } from '../../../src/demo/demo.ts';
import type { Headers } from './credentials.ts';
import type { Area, Known } from './document.ts';
import type { Names } from './names.ts';

/** Fields of the administration's answers; each answer has some of them. */
export type Made = Readonly<Record<'VendorId' | 'Code', string>>;

/** One way to authenticate. */
export interface Credential {
  readonly name: string;
  readonly headers: Headers;
  /** The addresses it gives access to; undefined: none. */
  readonly opens: Area | undefined;
  /** The addresses at which it may ask, and is told nothing, because all there is belongs to others. */
  readonly snoops: Area | undefined;
}

/** What the fuzzer knows about the installation that it attacks. */
export interface World extends Known {
  readonly url: string;
  readonly demo: Demo;
  readonly names: Names;
  readonly credentials: readonly Credential[];
  /** Its log-ins are refused after many attempts, so nothing else depends on it. */
  readonly leaver: { readonly email: string; password: string };
  /** A number that was not used before. */
  readonly next: () => number;
}
