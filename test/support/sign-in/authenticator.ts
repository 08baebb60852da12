import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** What a site hands to the browser: of the options those that are answered here. */
interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
}

const base64url = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (text: string) => createHash('sha256').update(text).digest();
const USER_PRESENT = 0x01;
const HAS_KEY = 0x40;

/** One passkey, and the browser around it: P-256, without attestation, as WebAuthn writes it. */
export class Authenticator {
  readonly id = base64url(randomBytes(16));
  #origin: string;
  readonly #key: KeyObject;
  readonly #cose: Buffer;
  /** Of the last answer. Synced passkeys leave it at 0. */
  counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    this.#key = privateKey;
    // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
    this.#cose = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
  }

  /** The same, asked by another site. */
  at(origin: string): this {
    this.#origin = origin;
    return this;
  }

  /** `navigator.credentials.create` */
  make({ challenge, rp }: Options) {
    const id = Buffer.from(this.id, 'base64url');
    const data = Buffer.concat([
      this.#head(rp?.id ?? '', USER_PRESENT | HAS_KEY),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      this.#cose,
    ]);
    // {"fmt": "none", "attStmt": {}, "authData": data}
    const attestationObject = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
      Buffer.from([data.length]),
      data,
    ]);
    return this.#answer({
      clientDataJSON: base64url(this.#clientData('webauthn.create', challenge)),
      attestationObject: base64url(attestationObject),
      transports: ['internal'],
    });
  }

  /** `navigator.credentials.get` */
  use({ challenge, rpId = '' }: Options) {
    const clientData = this.#clientData('webauthn.get', challenge);
    const data = this.#head(rpId, USER_PRESENT);
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), this.#key);
    return this.#answer({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(data),
      signature: base64url(signature),
    });
  }

  #head(name: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(name), Buffer.from([flags]), counter]);
  }

  #clientData(type: string, challenge: string): string {
    return JSON.stringify({ type, challenge, origin: this.#origin, crossOrigin: false });
  }

  #answer<Response extends object>(response: Response) {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }
}
