import { createHmac } from 'node:crypto';

/**
 * Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body` with the bytes that stand in
 * base64 after `whsec_`. The id is the same on every attempt, the timestamp is that of the attempt. While a secret is being
 * replaced both sign, and the receiver takes either.
 */
export function webhookHeaders(
  secrets: readonly [string, ...string[]],
  message: { readonly id: string; readonly atSeconds: number; readonly body: string },
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const signed = `${message.id}.${message.atSeconds}.${message.body}`;
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.atSeconds),
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, signed)}`).join(' '),
  };
}

function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(signed).digest('base64');
}
