import { type Argon2Parameters, argon2, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** Memory in KiB and passes as OWASP advises for argon2id; kept with each hash, so that they can be raised later. */
const MEMORY = 19_456;
const PASSES = 2;
const TAG_BYTES = 32;

/** Each check takes 19 MiB and a core for some milliseconds: strangers must not decide how many run at once. */
const AT_ONCE = 2;
const MOST_WAITING = 32;

let running = 0;
const waiting: (() => void)[] = [];

/** Thrown when so many log in at once that another one would only wait. */
export class TooManyPasswords extends Error {
  override readonly name = 'TooManyPasswords';
}

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

/** Compared with when nobody has the email, so that it takes as long as with an operator's. */
export const NOBODYS_HASH = `$argon2id$v=19$m=${MEMORY},t=${PASSES},p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

const FIXED = { parallelism: 1, tagLength: TAG_BYTES } as const;

async function derive(parameters: Argon2Parameters): Promise<Buffer> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MOST_WAITING) throw new TooManyPasswords('too many passwords are being checked');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      argon2('argon2id', parameters, (error, tag) => (error === null ? resolve(tag) : reject(error)));
    });
  } finally {
    // Whoever waits takes over the place; nobody else can come between.
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

/** Without letters and digits that look alike: somebody will read it aloud. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

export function newOneTimePassword(): string {
  const group = () => Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return [group(), group(), group(), group()].join('-');
}
