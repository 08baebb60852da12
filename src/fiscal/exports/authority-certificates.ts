import { type Gateway, ServerCertificates } from '../../fdms/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { keepCertificate } from '../evidence/store.ts';

/**
 * Certificates that could not be obtained when the authority's signatures arrived are requested again, and kept when they are the
 * ones that were named. Tells whether any is new.
 */
export async function fetchMissingCertificates(
  db: Queryable,
  gateway: Pick<Gateway, 'serverCertificate'>,
  thumbprints: readonly string[],
): Promise<boolean> {
  const certificates = new ServerCertificates(gateway);
  let isAnyNew = false;
  for (const thumbprint of thumbprints.filter((text) => /^[0-9A-F]{40}$/.test(text))) {
    const found = await certificates.fetch(thumbprint);
    if (found.kind !== 'found') continue;
    await keepCertificate(db, thumbprint, found.certificatePem);
    isAnyNew = true;
  }
  return isAnyNew;
}
