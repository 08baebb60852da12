import { webhookHeaders } from '../../kernel/webhook-signature.ts';
import { type Clock, seconds } from '../clock.ts';
import type { Log } from '../logging/log.ts';
import type { OutgoingRequest, SendOutgoing } from './outgoing.ts';

export interface SignedMessage extends Pick<OutgoingRequest, 'url' | 'body' | 'timeoutMs' | 'signal' | 'connectionOf'> {
  /** The same on every attempt. */
  readonly id: string;
  readonly readSecrets: () => Promise<MessageSecrets>;
}

export interface MessageSecrets {
  readonly signing: readonly [string, ...string[]];
  /** What else the receiver knows its sender by. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface PostResult {
  readonly statusCode: number | undefined;
  readonly answer: string | undefined;
  /** Why there is no whole answer. */
  readonly failure: string | undefined;
  readonly retryAfter?: string | undefined;
}

/** Posts JSON as Standard Webhooks say, and tells what came back. It never throws: what goes wrong here is for the log. */
export async function postSigned(
  { send, clock, log }: { readonly send: SendOutgoing; readonly clock: Clock; readonly log: Log },
  { id, readSecrets, ...request }: SignedMessage,
): Promise<PostResult> {
  try {
    const { signing, headers } = await readSecrets();
    const signed = webhookHeaders(signing, { id, atSeconds: seconds(clock()), body: request.body });
    const secrets = [...Object.values(headers), signed['webhook-signature']];
    const outcome = await send({
      ...request,
      headers: { 'Content-type': 'application/json', 'User-Agent': 'Tillseal-Webhook', ...headers, ...signed },
      // So much more that a secret which the cut would go through is known as well.
      answerBytes: ANSWER_BYTES + 2 * Math.max(...secrets.map(({ length }) => length)),
    });
    if (outcome.kind === 'failed') return { statusCode: outcome.status, answer: undefined, failure: outcome.reason };
    const { status, answer, retryAfter } = outcome;
    return { statusCode: status, answer: answerText(withoutSecrets(answer, secrets)), failure: undefined, retryAfter };
  } catch (error) {
    log.error({ err: error, messageId: id }, 'a webhook could not be sent');
    const failure = "the request could not be made; the service's log says why";
    return { statusCode: undefined, answer: undefined, failure };
  }
}

const WORD_LENGTH = 8;

/** A receiver may answer with the request: what only sender and receiver know is struck out, as a whole or its words, escaped or not. */
function withoutSecrets(answer: Buffer, secrets: readonly string[]): Buffer {
  if (answer.length === 0) return answer;
  const words = secrets.flatMap((secret) => secret.split(/[ ,]/)).filter(({ length }) => length >= WORD_LENGTH);
  const spelt = [...secrets, ...words].map((secret) =>
    secret.replaceAll(/\W/g, (sign) => `\\\\?\\x${sign.charCodeAt(0).toString(16)}`),
  );
  const struck = answer
    .toString('latin1')
    .replaceAll(new RegExp(spelt.join('|'), 'g'), ({ length }) => '*'.repeat(length));
  return Buffer.from(struck, 'latin1');
}

/** What is kept of a receiver's answer, in bytes. */
export const ANSWER_BYTES = 1024;

const REPLACEMENT = '\u{FFFD}';
// They could rewrite an operator's terminal or turn a line around; line breaks and tabs are harmless.
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** The beginning of an answer as text that any terminal, log or page can show. */
export function answerText(answer: Buffer): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(answer.subarray(0, ANSWER_BYTES));
  return text.replace(CONTROL, (character) => (/[\n\t]/.test(character) ? character : REPLACEMENT));
}
