import type { Demo } from '../../../src/demo/demo.ts';
import type { Credential } from './credentials.ts';
import type { Known } from './document.ts';
import type { Names } from './names.ts';
import type { SignIn } from './sign-in.ts';

/** Fields of the administration's answers; each answer has some of them. */
export type Made = Readonly<Record<'VendorId' | 'Code', string>>;

/** What the fuzzer knows about the installation that it attacks. */
export interface World extends Known {
  readonly url: string;
  readonly demo: Demo;
  readonly names: Names;
  readonly credentials: readonly Credential[];
  readonly signIn: SignIn;
  /** Its log-ins are refused after many attempts, so nothing else depends on it. */
  readonly leaver: { readonly email: string; password: string };
  /** A number that was not used before. */
  readonly next: () => number;
}
