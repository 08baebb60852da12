import { createHash, randomBytes } from 'node:crypto';
import type { TokenKind } from '../../contract/shared/values.ts';

/**
 * Bearer tokens (docs/signing.md, "Authentication"). A token is 256 random bits behind a readable prefix, shown once and kept only as a
 * hash; a plain SHA-256 is enough because there is nothing to guess.
 */
const PREFIXES: Readonly<Record<TokenKind, string>> = {
  taxpayer: 'tsk_',
  vendor: 'tsv_',
  biller: 'tsb_',
  installation: 'tsk_',
};

/** What each prefix is for, in the answer to a token where others are taken. */
const HOLDERS: Readonly<Record<string, string>> = {
  tsk_: 'of a taxpayer or an operator (tsk_…), for receipts, devices and administration',
  tsv_: 'of a vendor (tsv_…), for /api/payment',
  tsb_: 'of a biller (tsb_…), for its TargetStats and feed',
};

/** Said of a token by its prefix alone, so it tells nothing of whether there is such a token. */
export function wrongKindOf(token: string, [wanted, ...others]: readonly TokenKind[]): string | undefined {
  const prefix = token.slice(0, 4);
  if (wanted === undefined || HOLDERS[prefix] === undefined) return undefined;
  if ([wanted, ...others].some((kind) => PREFIXES[kind] === prefix)) return undefined;
  return `This is a token ${HOLDERS[prefix]}. Here use one ${HOLDERS[PREFIXES[wanted]]}.`;
}

export interface NewToken {
  readonly token: string;
  readonly hash: Buffer;
  readonly displayPrefix: string;
}

/** The prefix tells at a glance, and the door at once, whose token it is; operators have those of taxpayers. */
export function newToken(holder: TokenKind = 'taxpayer'): NewToken {
  const token = PREFIXES[holder] + randomBytes(32).toString('base64url');
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
    if (HOLDERS[value.slice(0, 4)] !== undefined) return { scheme: 'bearer', token: value, tenantId: undefined };
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

/** Whether these credentials can only be those of bill payments: of a vendor or a biller. */
export function isOfPayments(credentials: Credentials | undefined): boolean {
  return credentials?.scheme === 'basic' || /^ts[vb]_/.test(credentials?.token ?? '');
}
