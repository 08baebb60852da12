import { createHash, createPublicKey, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { BrokenProof, expectThat } from './broken-proof.ts';
import type { Fields } from './fields.ts';

const FORMAT = 'tillseal-export/1';

/** The first line: whose receipts these are, and everything that is needed to check them. */
export interface Header {
  readonly deviceId: number;
  readonly serialNumber: string;
  readonly taxpayerName: string;
  readonly tin: string;
  readonly zone: string;
  /** What lies before the first line: undefined before the first receipt ever. */
  readonly lastBefore: { readonly globalCounter: number; readonly date: string | undefined };
  /** Where the device stood when this was written; undefined when later days were left out. */
  readonly head: { readonly globalCounter: number; readonly hash: string | undefined } | undefined;
  readonly keys: ReadonlyMap<number, KeyObject>;
  readonly qrUrls: ReadonlyMap<number, string>;
  readonly authorityKeys: ReadonlyMap<string, KeyObject>;
  /** Thumbprints of the authority's certificates that signatures name and the header does not have. */
  readonly missingCertificates: Set<string>;
  /** To be compared with what the authority says of the device and of itself. */
  readonly fingerprints: readonly string[];
}

export function readHeader(fields: Fields): Header {
  expectThat(fields.optional('Kind') === 'header', 'wrong-order', () => 'the first line is no header');
  const format = fields.text('Format');
  expectThat(format === FORMAT, 'unreadable', () => `the format is ${format}, this program reads ${FORMAT}`);
  const head = fields.object('Head');
  const before = fields.object('LastBefore');
  const keys = new Map<number, KeyObject>();
  const authorityKeys = new Map<string, KeyObject>();
  const fingerprints: string[] = [];
  for (const key of fields.list('Keys')) {
    const version = key.integer('Version');
    const own = readKey(key, version);
    keys.set(version, own);
    fingerprints.push(`device key ${version}: SHA-256 ${fingerprintOf(own)}`);
  }
  for (const entry of fields.list('AuthorityCertificates')) {
    const thumbprint = entry.text('Thumbprint').toUpperCase();
    const certificate = readCertificate(entry.text('Certificate'));
    const own = certificate.fingerprint.replaceAll(':', '');
    expectThat(own === thumbprint, 'wrong-certificate', () => `certificate ${thumbprint} has the thumbprint ${own}`);
    authorityKeys.set(thumbprint, publicKeyOf(certificate));
    fingerprints.push(`authority certificate: SHA-1 ${thumbprint}`);
  }
  return {
    deviceId: fields.integer('AuthorityDeviceId'),
    serialNumber: fields.text('SerialNumber'),
    taxpayerName: fields.text('TaxpayerName'),
    tin: fields.text('TIN'),
    zone: fields.text('Zone'),
    lastBefore: {
      globalCounter: before?.integer('GlobalCounter') ?? 0,
      date: before?.optional('Date'),
    },
    head: head && { globalCounter: head.integer('GlobalCounter'), hash: head.optional('Hash') },
    keys,
    qrUrls: new Map(fields.list('Configurations').map((one) => [one.integer('Version'), one.text('QrUrl')])),
    authorityKeys,
    missingCertificates: new Set(),
    fingerprints,
  };
}

/** A key with its certificate: the certificate must be over this very key. */
function readKey(fields: Fields, version: number): KeyObject {
  const key = tryTo(() => createPublicKey(fields.text('PublicKey')), `key ${version}`);
  const certificate = fields.optional('Certificate');
  if (certificate !== undefined) {
    const certified = fingerprintOf(publicKeyOf(readCertificate(certificate)));
    expectThat(
      certified === fingerprintOf(key),
      'wrong-certificate',
      () => `the certificate of key ${version} is over another key`,
    );
  }
  return key;
}

function readCertificate(text: string): X509Certificate {
  return tryTo(() => new X509Certificate(text), 'a certificate');
}

/** A certificate whose key was damaged can still be read; only asking for the key finds out. */
function publicKeyOf(certificate: X509Certificate): KeyObject {
  return tryTo(() => certificate.publicKey, 'the key of a certificate');
}

function tryTo<T>(read: () => T, what: string): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BrokenProof) throw error;
    throw new BrokenProof('wrong-certificate', `${what} cannot be read`);
  }
}

function fingerprintOf(key: KeyObject): string {
  // Some keys that cannot be read are found out only here.
  const der = tryTo(() => key.export({ type: 'spki', format: 'der' }), 'a public key');
  return createHash('sha256').update(der).digest('hex').toUpperCase();
}

/** One SHA-256 over the text; ECDSA in ASN.1 DER or RSA PKCS#1 v1.5. A malformed signature simply is none. */
export function isSigned(key: KeyObject, text: string, signature: Buffer): boolean {
  try {
    return verify('sha256', Buffer.from(text), key, signature);
  } catch {
    return false;
  }
}
