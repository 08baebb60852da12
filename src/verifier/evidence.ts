import { BrokenProof } from './broken-proof.ts';
import type { Fields } from './fields.ts';
import { type Header, isSigned } from './header.ts';
import { sha256 } from './signed-strings.ts';

/**
 * The authority's own signature on a receipt or day: hash and signature both. False when its certificate was never had:
 * then nothing is proven, and nothing disproven.
 */
export function isProven(evidence: Fields, text: string, { authorityKeys, missingCertificates }: Header): boolean {
  const thumbprint = evidence.text('CertificateThumbprint').toUpperCase();
  if (!sha256(text).equals(evidence.bytes('Hash'))) {
    throw new BrokenProof('wrong-evidence', "the hash in the authority's signature is of another text");
  }
  const key = authorityKeys.get(thumbprint);
  if (key === undefined) {
    missingCertificates.add(thumbprint);
    return false;
  }
  if (isSigned(key, text, evidence.bytes('Signature'))) return true;
  throw new BrokenProof('wrong-evidence', `the authority's signature was not made with certificate ${thumbprint}`);
}
