// The library's container reads decorators' metadata and refuses to load without it.
import 'reflect-metadata';
import { KeyObject, sign, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { deviceCommonName } from '../../../src/fdms/index.ts';

export interface Credentials {
  readonly cert: string;
  readonly key: string;
}

export interface BenchCertificates {
  readonly caPem: string;
  readonly server: Credentials;
  /** The authority signs receipts with it. */
  readonly signing: Credentials;
  readonly validTill: Date;
  /** A certificate for a device's key, PEM. */
  issue(deviceId: number, publicKeyPem: string): string;
}

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

export async function makeCertificates(serialNumber: string): Promise<BenchCertificates> {
  const caKeys = await newKeys();
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 365 * DAY_MS) };
  const ca = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: 'CN=Bench CA',
    keys: caKeys,
    signingAlgorithm: EC,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  const common = { ...validity, issuer: ca.subject, signingKey: caKeys.privateKey, signingAlgorithm: EC };
  const credentials = async (subject: string): Promise<Credentials> => {
    const keys = await newKeys();
    const extensions = [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])];
    const { publicKey } = keys;
    const certificate = await X509CertificateGenerator.create({ ...common, subject, publicKey, extensions });
    return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
  };
  const pattern = await X509CertificateGenerator.create({
    ...common,
    subject: `CN=${deviceCommonName(serialNumber, 0)}`,
    serialNumber: PATTERN_NUMBER.toString('hex'),
    publicKey: (await newKeys()).publicKey,
  });
  return {
    caPem: ca.toString('pem'),
    server: await credentials('CN=127.0.0.1'),
    signing: await credentials('CN=Bench signing'),
    validTill: validity.notAfter,
    issue: issuer(Buffer.from(pattern.rawData), Buffer.from(pattern.publicKey.rawData), caKeys.privateKey),
  };
}

function newKeys() {
  return webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

const PATTERN_NUMBER = Buffer.from('4242424242424242', 'hex');
const ID_DIGITS = 10;

/**
 * The library takes milliseconds for a certificate, and ten thousand are needed. So the serial number, the device's id and its
 * key, which have a constant length, are replaced in one that the library made, which is then signed again.
 */
function issuer(pattern: Buffer, patternKey: Buffer, caKey: webcrypto.CryptoKey): BenchCertificates['issue'] {
  const signingKey = KeyObject.from(caKey);
  const body = element(pattern, contentOf(pattern));
  const algorithm = element(pattern, body.end);
  const places = {
    number: pattern.indexOf(PATTERN_NUMBER) - body.start,
    id: pattern.indexOf(`-${'0'.repeat(ID_DIGITS)}`) + 1 - body.start,
    key: pattern.indexOf(patternKey) - body.start,
  };
  return (deviceId, publicKeyPem) => {
    const signed = Buffer.from(pattern.subarray(body.start, body.end));
    signed.writeUInt32BE(deviceId, places.number + PATTERN_NUMBER.length - 4);
    signed.write(String(deviceId).padStart(ID_DIGITS, '0'), places.id, 'latin1');
    Buffer.from(PemConverter.decode(publicKeyPem)[0] ?? new ArrayBuffer(0)).copy(signed, places.key);
    const signature = sign('sha256', signed, signingKey);
    const rest = [pattern.subarray(algorithm.start, algorithm.end), tagged(0x03, Buffer.of(0), signature)];
    return PemConverter.encode(tagged(0x30, signed, ...rest), 'CERTIFICATE');
  };
}

/** Where the content of the element at this place begins. */
function contentOf(der: Buffer, start = 0): number {
  const length = der.readUInt8(start + 1);
  return start + 2 + (length < 0x80 ? 0 : length - 0x80);
}

function element(der: Buffer, start: number): { readonly start: number; readonly end: number } {
  const content = contentOf(der, start);
  const bytes = content - start - 2;
  const length = bytes === 0 ? der.readUInt8(start + 1) : der.readUIntBE(start + 2, bytes);
  return { start, end: content + length };
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), ...parts]);
}
