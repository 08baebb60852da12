/**
 * Valid ECDSA signatures at almost no cost (7 µs instead of 110): all have the same nonce, so that each needs only two
 * multiplications. Any two of them give away the key, so this is only for the authority of a benchmark.
 */
import { createECDH, createPrivateKey, hash } from 'node:crypto';

export interface CheapSignature {
  readonly hash: string;
  readonly signature: string;
}

/** The order of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const COORDINATE_BYTES = 32;

export function cheapSigner(privateKeyPem: string): (text: string) => CheapSignature {
  const { d = '' } = createPrivateKey(privateKeyPem).export({ format: 'jwk' });
  const key = numberOf(Buffer.from(d, 'base64url'));
  const nonce = createECDH('prime256v1');
  const point = nonce.generateKeys();
  const r = numberOf(point.subarray(1, 1 + COORDINATE_BYTES)) % ORDER;
  const inverse = power(numberOf(nonce.getPrivateKey()), ORDER - 2n);
  const constant = (inverse * ((r * key) % ORDER)) % ORDER;
  const first = integer(r);
  return (text) => {
    const digest = hash('sha256', text, 'buffer');
    const second = integer((inverse * numberOf(digest) + constant) % ORDER);
    const signature = Buffer.concat([Buffer.from([0x30, first.length + second.length]), first, second]);
    return { hash: digest.toString('base64'), signature: signature.toString('base64') };
  };
}

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base % ORDER;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % ORDER;
    square = (square * square) % ORDER;
  }
  return result;
}

/** In DER: big-endian, and with a zero in front where the first bit would make it negative. */
function integer(value: bigint): Buffer {
  const digits = value.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  const bytes = Buffer.from(Number.parseInt(even.slice(0, 2), 16) >= 0x80 ? `00${even}` : even, 'hex');
  return Buffer.concat([Buffer.from([0x02, bytes.length]), bytes]);
}
