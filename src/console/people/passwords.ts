import { type Argon2Parameters, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { BackgroundThread } from '../../platform/work/background.ts';

/** Memory in KiB and passes as OWASP advises for argon2id; kept with each hash, so that they can be raised later. */
const MEMORY = 19_456;
const PASSES = 2;
const TAG_BYTES = 32;

/** Each check takes 19 MiB and a core for some milliseconds. How many wait is decided by who lets them in: strangers come one at a time. */
const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 4));

const threads = Array.from(
  { length: AT_ONCE },
  () =>
    new BackgroundThread<Argon2Parameters, Uint8Array>({
      file: new URL(`./password-thread${extname(import.meta.filename)}`, import.meta.url),
      longestJobMs: 30_000,
      memoryMb: 32,
      idleMs: 10_000,
    }),
);
const waiting: (() => void)[] = [];

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const tag = await derive({ message: password, nonce: salt, memory: MEMORY, passes: PASSES, ...FIXED });
  return `$argon2id$v=19$m=${MEMORY},t=${PASSES},p=1$${base64(salt)}$${base64(tag)}`;
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, salt, tag] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$([^$]+)\$([^$]+)$/.exec(hash) ?? [];
  if (salt === undefined || tag === undefined) throw new Error('a stored password hash cannot be read');
  const expected = Buffer.from(tag, 'base64');
  const nonce = Buffer.from(salt, 'base64');
  const made = await derive({ message: password, nonce, memory: Number(memory), passes: Number(passes), ...FIXED });
  return timingSafeEqual(made, expected);
}

/** Compared with when the email is unknown, so that it takes as long as with an operator's. */
export const NOBODYS_HASH = `$argon2id$v=19$m=${MEMORY},t=${PASSES},p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

const FIXED = { parallelism: 1, tagLength: TAG_BYTES } as const;

async function derive(parameters: Argon2Parameters): Promise<Buffer> {
  let thread = threads.find(({ isBusy }) => !isBusy);
  while (thread === undefined) {
    await new Promise<void>((resolve) => waiting.push(resolve));
    thread = threads.find(({ isBusy }) => !isBusy);
  }
  try {
    return Buffer.from(await thread.run(parameters));
  } finally {
    waiting.shift()?.();
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Without letters and digits that look alike: it may be read aloud. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

export function newOneTimePassword(): string {
  const group = () => Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}
