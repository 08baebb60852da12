import { X509Certificate } from 'node:crypto';
import type { Gateway } from '../../fdms/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { keepCertificate } from '../evidence/store.ts';

/**
 * Certificates that could not be had when the authority's signatures came are asked for again, and kept when they are the
 * ones that were named. Tells whether any is new.
 */
export async function fetchMissingCertificates(
  db: Queryable,
  gateway: Pick<Gateway, 'serverCertificate'>,
  thumbprints: readonly string[],
): Promise<boolean> {
  let isAnyNew = false;
  for (const thumbprint of thumbprints) {
    if (!/^[0-9A-F]{40}$/.test(thumbprint)) continue;
    const answer = await gateway.serverCertificate(thumbprint);
    if (answer.kind !== 'answered') continue;
    const pem = answer.value.certificate.map(pemOf).find((one) => one?.thumbprint === thumbprint)?.pem;
    if (pem === undefined) continue;
    await keepCertificate(db, thumbprint, pem);
    isAnyNew = true;
  }
  return isAnyNew;
}

function pemOf(text: string): { readonly thumbprint: string; readonly pem: string } | undefined {
  try {
    const certificate = new X509Certificate(text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64'));
    return { thumbprint: certificate.fingerprint.replaceAll(':', ''), pem: certificate.toString() };
  } catch {
    return undefined;
  }
}
