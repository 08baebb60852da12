import { randomBytes } from 'node:crypto';
import type { Transaction } from '../../platform/database/database.ts';
import { createDataKey } from '../../platform/secrets/data-keys.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { encryptVendorSecret } from './secrets.ts';
import { insertVendor, updateVendorSecret } from './store.ts';

export interface NewVendor {
  readonly vendorId: string;
  readonly vendorCode: string;
  readonly name: string;
}

/**
 * Adds a vendor with the data key that protects its secrets, and the secret that signs its callbacks: returned this once. A code
 * that is taken breaks the unique constraint.
 */
export async function addVendor(
  tx: Transaction,
  masterKeys: MasterKeys,
  vendor: NewVendor,
  now: Date,
): Promise<{ readonly webhookSecret: string }> {
  const { vendorId } = vendor;
  await createDataKey(tx, masterKeys, vendorId);
  const webhookSecret = newWebhookSecret();
  const webhookSecretEncrypted = await encryptVendorSecret(tx, masterKeys, vendorId, 'webhookSecret', webhookSecret);
  await insertVendor(tx, { ...vendor, webhookSecretEncrypted, createdAt: now });
  return { webhookSecret };
}

/** A new secret for the callbacks; what is sent from now on is signed with it. Returned this once. */
export async function rotateWebhookSecret(tx: Transaction, masterKeys: MasterKeys, vendorId: string): Promise<string> {
  const webhookSecret = newWebhookSecret();
  const encrypted = await encryptVendorSecret(tx, masterKeys, vendorId, 'webhookSecret', webhookSecret);
  await updateVendorSecret(tx, vendorId, 'webhookSecret', encrypted);
  return webhookSecret;
}

/** As Standard Webhooks has it: the prefix, then base64 of the key. */
function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
