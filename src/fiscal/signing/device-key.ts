/**
 * A device's key pair: made here, kept as PKCS#8 (encrypted at rest by the code that stores it), parsed once into a KeyObject
 * (77 µs each) and then used for every receipt of the device.
 */
import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';

export type KeyAlgorithm = 'ECDSA-P256' | 'RSA-2048';

export interface DeviceKeyPair {
  readonly algorithm: KeyAlgorithm;
  /** PKCS#8, DER, not encrypted. */
  readonly privateKey: Buffer;
  /** SubjectPublicKeyInfo, PEM. */
  readonly publicKeyPem: string;
}

const generate = promisify(generateKeyPair);

export async function generateDeviceKey(algorithm: KeyAlgorithm): Promise<DeviceKeyPair> {
  const { privateKey, publicKey } =
    algorithm === 'ECDSA-P256'
      ? await generate('ec', { namedCurve: 'prime256v1' })
      : await generate('rsa', { modulusLength: 2048 });
  return {
    algorithm,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }),
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/** Throws when the bytes are no private key of a kind the authority takes. */
export function loadPrivateKey(pkcs8: Buffer): KeyObject {
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  // The details that are asked for stay with the key that is asked: 360 bytes for each device.
  if (algorithmOf(createPublicKey(key)) === undefined)
    throw new TypeError('the key is neither ECDSA P-256 nor RSA-2048');
  return key;
}

/** `undefined` for every key the authority would not take: another curve, another length, RSA-PSS, Ed25519. */
export function algorithmOf(key: KeyObject): KeyAlgorithm | undefined {
  const details = key.asymmetricKeyDetails;
  if (key.asymmetricKeyType === 'ec' && details?.namedCurve === 'prime256v1') return 'ECDSA-P256';
  if (key.asymmetricKeyType === 'rsa' && details?.modulusLength === 2048) return 'RSA-2048';
  return undefined;
}

/**
 * ECDSA is signed at once (30 µs): handing it to the thread pool and back costs the event loop three times as much, and
 * measured a fifth of the throughput. RSA-2048 (400 µs) goes to the pool, where a batch is signed in parallel.
 */
export function signText(key: KeyObject, text: string): Promise<Buffer> {
  const bytes = Buffer.from(text, 'utf8');
  if (key.asymmetricKeyType === 'ec') return Promise.resolve(sign('sha256', bytes, key));
  return new Promise((resolve, reject) => {
    sign('sha256', bytes, key, (error, signature) => {
      if (error) reject(error);
      else resolve(signature);
    });
  });
}
