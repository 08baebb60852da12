// The library's container reads decorators' metadata and refuses to load without it.
import 'reflect-metadata';
import { createPrivateKey, type KeyObject, randomBytes, sign, webcrypto, X509Certificate } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import type { SignatureDataEx } from '../../fdms/index.ts';
import { makeFolder } from '../../platform/make-folder.ts';
import { hashOf } from '../core/signature.ts';

/**
 * The authority's identity: its own certificate authority, which signs for its server, for its signatures and for the
 * devices. Made on the first start and kept, since devices and clients go on trusting it.
 */
export interface Identity {
  readonly caFile: string;
  readonly caPem: string;
  readonly signingPem: string;
  readonly signingKey: KeyObject;
  /** SHA-1 of the signing certificate, by which devices ask for it. */
  readonly thumbprint: string;
  issue(request: IssueRequest): Promise<string>;
}

export interface IssueRequest {
  readonly subject: string;
  readonly publicKey: x509.PublicKey;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly extensions: readonly x509.Extension[];
}

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
};
const CA_NAME = 'CN=Tillseal Simulator CA, O=Tillseal Simulator, C=ZW';
const TWENTY_YEARS_MS = 20 * 365 * 86_400_000;
const DAY_MS = 86_400_000;

export async function openIdentity(dataDir: string): Promise<Identity> {
  const folder = join(dataDir, 'identity');
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  try {
    await read('ca.pem');
  } catch {
    await createIdentity(dataDir, folder);
  }
  const caPem = await read('ca.pem');
  const caKeyPem = await read('ca-key.pem');
  const signingPem = await read('signing.pem');
  const caSigner = await importPrivateKey(caKeyPem);
  return {
    caFile: join(folder, 'ca.pem'),
    caPem,
    signingPem,
    signingKey: createPrivateKey(await read('signing-key.pem')),
    thumbprint: thumbprintOf(signingPem),
    issue: (request) => issueWith(caSigner, request, CA_NAME),
  };
}

function thumbprintOf(pem: string): string {
  return new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase();
}

export function signAsAuthority({ signingKey, thumbprint }: Identity, text: string): SignatureDataEx {
  return {
    hash: hashOf(text),
    signature: sign('sha256', Buffer.from(text, 'utf8'), signingKey).toString('base64'),
    certificateThumbprint: thumbprint,
  };
}

/** Created at every start: only the certificate authority that signs it has to last. */
export async function createServerCertificate(identity: Identity, hosts: readonly string[]) {
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const now = Date.now();
  const cert = await identity.issue({
    subject: 'CN=Tillseal Simulator, O=Tillseal Simulator, C=ZW',
    publicKey: await x509.PublicKey.create(keys.publicKey),
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + TWENTY_YEARS_MS),
    extensions: [
      new x509.SubjectAlternativeNameExtension(
        hosts.map((host) => ({ type: /^[\d.]+$|:/.test(host) ? 'ip' : 'dns', value: host })),
      ),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    ],
  });
  return { cert, key: await exportPrivateKey(keys.privateKey) };
}

/** Written aside and renamed: a start that was killed half way leaves no half identity. */
async function createIdentity(dataDir: string, folder: string): Promise<void> {
  const caKeys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const signingKeys = await webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify']);
  const notBefore = new Date(Date.now() - DAY_MS);
  const notAfter = new Date(Date.now() + TWENTY_YEARS_MS);
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: CA_NAME,
    serialNumber: newSerialNumber(),
    notBefore,
    notAfter,
    keys: caKeys,
    signingAlgorithm: EC,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const signing = await issueWith(
    caKeys.privateKey,
    {
      subject: 'CN=Tillseal Simulator Signing, O=Tillseal Simulator, C=ZW',
      publicKey: await x509.PublicKey.create(signingKeys.publicKey),
      notBefore,
      notAfter,
      extensions: [new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true)],
    },
    CA_NAME,
  );
  const aside = join(dataDir, `identity-${randomBytes(6).toString('hex')}`);
  await makeFolder(aside);
  const write = (name: string, text: string) => writeFile(join(aside, name), text, { mode: 0o600, flush: true });
  await write('ca.pem', `${ca.toString('pem')}\n`);
  await write('ca-key.pem', await exportPrivateKey(caKeys.privateKey));
  await write('signing.pem', signing);
  await write('signing-key.pem', await exportPrivateKey(signingKeys.privateKey));
  await rm(folder, { recursive: true, force: true });
  await rename(aside, folder);
}

async function issueWith(signingKey: webcrypto.CryptoKey, request: IssueRequest, issuer: string): Promise<string> {
  const certificate = await x509.X509CertificateGenerator.create({
    ...request,
    issuer,
    signingKey,
    serialNumber: newSerialNumber(),
    signingAlgorithm: EC,
    extensions: [new x509.BasicConstraintsExtension(false, undefined, true), ...request.extensions],
  });
  return `${certificate.toString('pem')}\n`;
}

/** Positive, as X.509 asks. */
function newSerialNumber(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString('hex');
}

async function exportPrivateKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

async function importPrivateKey(pem: string): Promise<webcrypto.CryptoKey> {
  const [bytes = new ArrayBuffer(0)] = x509.PemConverter.decode(pem);
  return webcrypto.subtle.importKey('pkcs8', bytes, EC, false, ['sign']);
}
