import { type KeyObject, X509Certificate } from 'node:crypto';
import type { Database } from '../store/database.ts';
import { certificateById } from '../store/registry.ts';

/** Public keys by certificate. Certificates never change, and reading one takes as long as verifying a signature. */
export class DeviceKeys {
  readonly #db: Database;
  readonly #keys = new Map<number, KeyObject>();

  constructor(db: Database) {
    this.#db = db;
  }

  keyOf(certificateId: number): KeyObject {
    const known = this.#keys.get(certificateId);
    if (known) return known;
    const certificate = certificateById(this.#db, certificateId);
    if (!certificate) throw new Error(`certificate ${certificateId} has vanished`);
    const key = new X509Certificate(certificate.pem).publicKey;
    this.#keys.set(certificateId, key);
    return key;
  }
}
