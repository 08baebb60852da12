import { BrokenProof } from './broken-proof.ts';
import type { Fields } from './fields.ts';
import { type Header, isSigned } from './header.ts';
import { sha256 } from './signed-strings.ts';

/**
 * The authority's own signature on a receipt or day: hash and signature both. False when the history lacks its certificate, or it
 * names none: then nothing is proven, and nothing disproven. The text is that for a date: as it was sent, or as the specification has it.
 */
export function isProven(
  evidence: Fields,
  date: string,
  textOf: (date: string) => string,
  { authorityKeys, missingCertificates }: Pick<Header, 'authorityKeys' | 'missingCertificates'>,
): boolean {
  const named = evidence.optional('CertificateThumbprint');
  if (named === undefined) return false;
  const hash = evidence.optional('Hash');
  const texts = [date, wholeSeconds(date)].map(textOf).filter((text) => hash === undefined || isHash(text, hash));
  if (texts.length === 0) {
    throw new BrokenProof('wrong-evidence', "the hash in the authority's signature is of another text");
  }
  const thumbprint = thumbprintOf(named);
  const key = authorityKeys.get(thumbprint);
  if (key === undefined) {
    missingCertificates.add(thumbprint);
    return false;
  }
  if (texts.some((text) => isSigned(key, text, evidence.bytes('Signature')))) return true;
  throw new BrokenProof('wrong-evidence', `the authority's signature was not made with certificate ${thumbprint}`);
}

/** `YYYY-MM-DDTHH:mm:ss`, without fraction and zone. */
function wholeSeconds(date: string): string {
  return date.replace(
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?)?.*/,
    (_, day: string, minute = '00:00', second = ':00') => `${day}T${minute}${second}`,
  );
}

/** In base64, or in hex. */
function isHash(text: string, hash: string): boolean {
  const bytes = sha256(text);
  return bytes.toString('base64') === hash || bytes.toString('hex') === hash.toLowerCase();
}

/** Sent in hex, with colons or without, or in base64. */
function thumbprintOf(text: string): string {
  const hex = text.replaceAll(/[:\s-]/g, '');
  const isHex = /^[0-9a-f]{40}$/i.test(hex);
  const bytes = Buffer.from(text, 'base64');
  return (isHex ? hex : bytes.length === 20 ? bytes.toString('hex') : text).toUpperCase();
}
