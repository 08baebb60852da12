/** Certificates of devices: specification §12. */
import 'reflect-metadata';
import { X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { DeviceCertificate } from '../store/registry.ts';
import type { Identity } from './identity.ts';

/** Optional in a request, but exactly so when present. */
const FIXED_SUBJECT: Readonly<Record<string, string>> = {
  C: 'ZW',
  O: 'Zimbabwe Revenue Authority',
  ST: 'Zimbabwe',
};

export interface CertificateSubject {
  readonly deviceId: number;
  readonly serialNo: string;
}

/** The request, or why it is refused (DEV03). */
export async function readCertificateRequest(
  pem: string,
  subject: CertificateSubject,
): Promise<x509.Pkcs10CertificateRequest | string> {
  let request: x509.Pkcs10CertificateRequest;
  try {
    if (!pem.includes('-----BEGIN CERTIFICATE REQUEST-----')) return 'certificate request is not PEM of PKCS#10';
    request = new x509.Pkcs10CertificateRequest(pem);
    if (!(await request.verify())) return 'certificate request is not signed with its own key';
  } catch {
    return 'certificate request cannot be read';
  }
  return subjectFault(request.subjectName, subject) ?? keyFault(request.publicKey) ?? request;
}

/** Valid from now on by the authority's clock, for as long as the device's setting says. */
export async function issueDeviceCertificate(
  identity: Identity,
  request: x509.Pkcs10CertificateRequest,
  subject: CertificateSubject,
  validFrom: number,
  validSeconds: number,
): Promise<Omit<DeviceCertificate, 'certificateId'>> {
  const validTill = validFrom + validSeconds;
  const pem = await identity.issue({
    subject: new x509.Name([
      { C: ['ZW'] },
      { O: [FIXED_SUBJECT['O'] ?? ''] },
      { CN: [commonName(subject)] },
    ]).toString(),
    publicKey: request.publicKey,
    notBefore: new Date(validFrom * 1000),
    notAfter: new Date(validTill * 1000),
    extensions: [
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.nonRepudiation | x509.KeyUsageFlags.keyEncipherment,
        true,
      ),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
    ],
  });
  const fingerprint = new X509Certificate(pem).fingerprint256;
  return { deviceId: subject.deviceId, fingerprint, pem, validFrom, validTill, status: 'Issued' };
}

function commonName({ serialNo, deviceId }: CertificateSubject): string {
  return `ZIMRA-${serialNo}-${String(deviceId).padStart(10, '0')}`;
}

function subjectFault(name: x509.Name, subject: CertificateSubject): string | undefined {
  const expected: Readonly<Record<string, string>> = { ...FIXED_SUBJECT, CN: commonName(subject) };
  if (name.getField('CN').length !== 1) return 'certificate request must have one common name';
  for (const part of name.toJSON()) {
    for (const [field, values] of Object.entries(part)) {
      const wanted = expected[field];
      if (wanted === undefined) return `subject field ${field} is not allowed`;
      if (values.length !== 1 || values[0] !== wanted) return `subject field ${field} must be ${wanted}`;
    }
  }
  return undefined;
}

function keyFault({ algorithm }: x509.PublicKey): string | undefined {
  const isCurve = 'namedCurve' in algorithm && algorithm.namedCurve === 'P-256';
  const isRsa = 'modulusLength' in algorithm && algorithm.modulusLength === 2048;
  return isCurve || isRsa ? undefined : 'key must be EC P-256 or RSA 2048';
}
