import { createHash, randomBytes } from 'node:crypto';

/**
 * Bearer tokens (docs/signing.md, "Authentication"). A token is 256 random bits behind a readable prefix, shown once and kept only as a
 * hash; a plain SHA-256 is enough because there is nothing to guess.
 */
const TOKEN_PREFIXES = { taxpayer: 'tsk_', vendor: 'tsv_' } as const;

export type TokenKind = keyof typeof TOKEN_PREFIXES;

/** What each kind is for, in the answer to a token of the other kind. */
const KINDS: Readonly<Record<TokenKind, string>> = {
  taxpayer: 'of a taxpayer or an operator (tsk_…), for receipts, devices and administration',
  vendor: 'of a vendor (tsv_…), for /api/payment',
};

/** Said of a token by its prefix alone, so it tells nothing of whether there is such a token. */
export function wrongKindOf(token: string, wanted: TokenKind): string | undefined {
  const other = wanted === 'vendor' ? 'taxpayer' : 'vendor';
  if (!token.startsWith(TOKEN_PREFIXES[other])) return undefined;
  return `This is a token ${KINDS[other]}. Here use one ${KINDS[wanted]}.`;
}

export interface NewToken {
  readonly token: string;
  readonly hash: Buffer;
  readonly displayPrefix: string;
}

/** The prefix tells at a glance, and the door at once, whose token it is; operators have those of taxpayers. */
export function newToken(holder: TokenKind = 'taxpayer'): NewToken {
  const token = TOKEN_PREFIXES[holder] + randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token), displayPrefix: token.slice(0, 10) };
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

export type Credentials =
  | { readonly scheme: 'bearer'; readonly token: string; readonly tenantId: string | undefined }
  | { readonly scheme: 'basic'; readonly user: string; readonly token: string };

/**
 * Reads an Authorization header: `Bearer <token>`, `Bearer base64(token:tenantId)` and `Basic base64(user:token)`; the last
 * two because integrations of this kind of service exist. Undefined when it is none of them.
 */
export function readCredentials(header: string | undefined): Credentials | undefined {
  const match = /^(bearer|basic) +([!-~]{1,512})$/i.exec(header ?? '');
  if (!match?.[1] || !match[2]) return undefined;
  const value = match[2];
  if (match[1].toLowerCase() === 'bearer') {
    if (Object.values(TOKEN_PREFIXES).some((prefix) => value.startsWith(prefix)))
      return { scheme: 'bearer', token: value, tenantId: undefined };
    const pair = decodePair(value);
    return pair && { scheme: 'bearer', token: pair.first, tenantId: pair.second };
  }
  const pair = decodePair(value);
  return pair && { scheme: 'basic', user: pair.first, token: pair.second };
}

function decodePair(value: string): { first: string; second: string } | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return undefined;
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 1 ? undefined : { first: text.slice(0, colon), second: text.slice(colon + 1) };
}

/** Whether these credentials can only be a vendor's. */
export function isOfVendor(credentials: Credentials | undefined): boolean {
  return credentials?.scheme === 'basic' || credentials?.token.startsWith(TOKEN_PREFIXES.vendor) === true;
}
