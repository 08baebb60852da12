import type { SignedByServer } from '../../authority/index.ts';
import type { KeeperContext } from './context.ts';

/**
 * Whether the authority's signature holds; undefined when its certificate cannot be had now. The certificate is kept, so
 * that the evidence can be checked years later without asking anybody.
 */
export async function checkEvidence(
  { checkSignature, pool, keptCertificates }: KeeperContext,
  signed: SignedByServer,
): Promise<boolean | undefined> {
  const check = await checkSignature(signed);
  if (check.kind === 'undecided') return undefined;
  const thumbprint = signed.signature.certificateThumbprint.toUpperCase();
  if (check.kind === 'valid' && !keptCertificates.has(thumbprint)) {
    await pool.query({
      name: 'keep-authority-certificate',
      text: 'insert into authority_certificates (thumbprint, certificate_pem) values ($1, $2) on conflict do nothing',
      values: [thumbprint, check.certificatePem],
    });
    keptCertificates.add(thumbprint);
  }
  return check.kind === 'valid';
}
