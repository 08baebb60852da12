/**
 * The device's certificate: asking for it, reading it, checking that what was issued is what was asked for. Specification §4.2, §4.3 and §12.
 */
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

export interface CertificateFacts {
  readonly commonName: string;
  readonly validFrom: Date;
  readonly validTill: Date;
  readonly publicKey: KeyObject;
  /** SHA-1 over the certificate, 40 upper-case hex digits, as the protocol names certificates. */
  readonly thumbprint: string;
}

export type IssuedCertificateCheck =
  | { readonly kind: 'good'; readonly facts: CertificateFacts }
  | { readonly kind: 'bad'; readonly reason: string };

/** The name a device has in its certificate. The prose of the specification lost the second hyphen; its example has it. */
export function deviceCommonName(serialNumber: string, deviceId: number): string {
  if (serialNumber === '' || serialNumber.length > 20) throw new RangeError('a serial number has 1 to 20 characters');
  if (!Number.isInteger(deviceId) || deviceId < 0 || deviceId > 9_999_999_999) {
    throw new RangeError('a device id is a whole number of at most 10 digits');
  }
  return `ZIMRA-${serialNumber}-${String(deviceId).padStart(10, '0')}`;
}

/**
 * A PKCS#10 request, PEM, signed with the device's own key (ECDSA P-256 or RSA-2048). The subject is the common name
 * alone: other fields are optional, and one that is spelled a little differently would be refused.
 */
export async function createCertificateRequest(
  privateKey: KeyObject,
  serialNumber: string,
  deviceId: number,
): Promise<string> {
  // 240 ms to load, needed once in a device's year.
  await import('reflect-metadata');
  const { Name, Pkcs10CertificateRequestGenerator } = await import('@peculiar/x509');
  const algorithm = signingAlgorithm(privateKey);
  const request = await Pkcs10CertificateRequestGenerator.create({
    // With its type named, because a bare text is searched for quotes and number signs first.
    name: new Name([{ CN: [{ utf8String: deviceCommonName(serialNumber, deviceId) }] }]),
    keys: {
      privateKey: privateKey.toCryptoKey(algorithm, false, ['sign']),
      publicKey: createPublicKey(privateKey).toCryptoKey(algorithm, true, ['verify']),
    },
    signingAlgorithm: algorithm,
  });
  return `${request.toString('pem').trim()}\n`;
}

/** Throws when the text holds no certificate. Of several, the first is read: the leaf. */
export function readCertificate(pem: string): CertificateFacts {
  const certificate = new X509Certificate(pem);
  const commonName: unknown = certificate.toLegacyObject().subject?.CN;
  return {
    commonName: typeof commonName === 'string' ? commonName : '',
    validFrom: certificate.validFromDate,
    validTill: certificate.validToDate,
    publicKey: certificate.publicKey,
    thumbprint: thumbprintOf(certificate),
  };
}

export function thumbprintOf(certificate: X509Certificate): string {
  return certificate.fingerprint.replaceAll(':', '');
}

/**
 * An activation key is spent by the time a certificate arrives, so a wrong one must be noticed before anything is signed
 * under it: another key, another device, or already expired.
 */
export function checkIssuedCertificate(
  pem: string,
  expected: { readonly publicKey: KeyObject; readonly serialNumber: string; readonly deviceId: number },
  now: Date,
): IssuedCertificateCheck {
  const facts = tryReadCertificate(pem);
  if (facts === undefined) return bad('it cannot be read as a certificate');
  if (!facts.publicKey.equals(expected.publicKey)) return bad("it is not for this device's key");
  const commonName = deviceCommonName(expected.serialNumber, expected.deviceId);
  if (facts.commonName !== commonName) return bad(`it is for "${facts.commonName}" instead of "${commonName}"`);
  if (facts.validTill <= now) return bad(`it expired at ${facts.validTill.toISOString()}`);
  return { kind: 'good', facts };
}

function tryReadCertificate(pem: string): CertificateFacts | undefined {
  try {
    return readCertificate(pem);
  } catch {
    return undefined;
  }
}

function bad(reason: string): IssuedCertificateCheck {
  return { kind: 'bad', reason };
}

function signingAlgorithm(key: KeyObject) {
  const details = key.asymmetricKeyDetails;
  if (key.asymmetricKeyType === 'ec' && details?.namedCurve === 'prime256v1') {
    return { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  }
  if (key.asymmetricKeyType === 'rsa' && details?.modulusLength === 2048) {
    return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  }
  throw new TypeError('the key is neither ECDSA P-256 nor RSA-2048');
}
