import { Socket } from 'node:net';
import { openSmtp } from '../platform/network/smtp.ts';
import type { MailSettings } from '../platform/setting-values.ts';
import type { ObserveAttempt } from '../platform/work/delivery-metrics.ts';
import { type MailPlace, mailText, mailWaitMs } from './core/mail-text.ts';
import type { DeliveryResult, Transport } from './transport.ts';

const MAX_ANSWER = 1000;
/** Servers look through a message, or make strangers wait, before they take it: given up too soon, it comes twice. */
const TIMEOUT_MS = 60_000;

export interface MailTransportOptions extends Omit<MailPlace, 'isForOperators'> {
  readonly settings: MailSettings;
  readonly observe?: ObserveAttempt | undefined;
  /** Only tests are in a greater hurry. */
  readonly timeoutMs?: number;
}

/** Sends events as mail, each message to one person. What the server does not take for now or for ever is tried again on the same schedule. */
export function createMailTransport(options: MailTransportOptions): Transport {
  const { settings, observe, timeoutMs = TIMEOUT_MS } = options;
  const domain = settings.from.replace(/^.*@([\w.-]+).*$/, '$1');
  return {
    waitMs: mailWaitMs,
    timeoutMs,
    send: async ({ endpoint, messageId, events, signal }) => {
      const startedMs = performance.now();
      const isForOperators = endpoint.taxpayerId === null && endpoint.vendorId === null;
      const address = endpoint.address.slice('mailto:'.length);
      const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]);
      if (limit.aborted) return failureOf(GIVEN_UP);
      const socket = new Socket();
      const sent = openSmtp(settings, timeoutMs, socket).sendMail({
        from: settings.from,
        to: { name: '', address },
        ...mailText(events, { ...options, isForOperators }),
        // A retry is the same message: a server or reader that has it already can tell.
        messageId: `<${messageId}@${domain}>`,
        // Nothing answers it automatically.
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      });
      const result = await Promise.race([sent, givenUp(limit, socket)]).then(
        ({ response }): DeliveryResult => ({ ...answerOf(response), outcome: 'Taken', error: undefined }),
        failureOf,
      );
      const { outcome, statusCode } = result;
      observe?.({ isTaken: outcome === 'Taken', statusCode }, performance.now() - startedMs);
      return result;
    },
    forget: () => {},
    close: () => {},
  };
}

const GIVEN_UP = new Error('the mail server did not answer in time');

/** Its connection is closed as well, or the server could still take the message while it is sent again. */
function givenUp(limit: AbortSignal, socket: Socket): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () => {
      reject(GIVEN_UP);
      socket.destroy();
    };
    limit.addEventListener('abort', end, { once: true });
  });
}

function answerOf(response: string | undefined): Pick<DeliveryResult, 'statusCode' | 'answer'> {
  const code = Number(response?.slice(0, 3));
  return { statusCode: code > 0 ? code : undefined, answer: response?.slice(0, MAX_ANSWER) };
}

function failureOf(error: unknown): DeliveryResult {
  const message = error instanceof Error ? error.message : String(error);
  const response = error instanceof Error && 'response' in error ? String(error.response) : undefined;
  return { ...answerOf(response), outcome: 'Failed', error: message.slice(0, MAX_ANSWER) };
}
