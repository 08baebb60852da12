import { X509Certificate } from 'node:crypto';
import type { ServerCertificateResponse } from '../../fdms/index.ts';
import type { Authority } from '../state/authority.ts';
import { type Answer, accepted, failed } from '../wire/answer.ts';

/** The certificate of the authority's signatures and the one that vouches for it; by its thumbprint, or the active one. */
export function getServerCertificate({ identity }: Authority, thumbprint: string | null): Answer {
  if (thumbprint !== null && thumbprint.toLowerCase() !== identity.thumbprint) {
    return failed(404, 'There is no certificate with this thumbprint');
  }
  const { validToDate } = new X509Certificate(identity.signingPem);
  return accepted({
    certificate: [identity.signingPem, identity.caPem],
    certificateValidTill: validToDate.toISOString().slice(0, 19),
  } satisfies Omit<ServerCertificateResponse, 'operationID'>);
}
