import { createHmac, timingSafeEqual } from 'node:crypto';
import { WebhookError } from './wire/errors.ts';

/** The headers of a request to your address, in lower case as Node has them. */
export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A recorded request is not accepted again after this time. */
const TOLERANCE_SECONDS = 300;

/**
 * Throws a WebhookError unless the webhook came from the service that has this secret (`whsec_…`), and recently: Standard Webhooks
 * (https://www.standardwebhooks.com). Pass the body unchanged: parsing and writing it again changes its bytes.
 */
export function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
  nowSeconds: number = Date.now() / 1000,
): void {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  );
  if (!id || !timestamp || !signatures) throw new WebhookError('A header of the webhook is missing.');
  if (!/^[0-9]+$/.test(timestamp) || Math.abs(nowSeconds - Number(timestamp)) > TOLERANCE_SECONDS)
    throw new WebhookError('The webhook is older than five minutes, or a clock is wrong.');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  // While a secret is being changed there is one for each.
  const isGenuine = signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',', 2);
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isGenuine) throw new WebhookError('The webhook is not signed with this secret.');
}
