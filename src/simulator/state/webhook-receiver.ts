import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Fields } from '../wire/fields.ts';

/** A vendor's webhook to try things with: it remembers what it received and answers as configured. */
export interface ReceivedWebhook {
  readonly receivedAt: string;
  /** What it was answered with. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type WebhookAnswer = Readonly<ReturnType<typeof readWebhookAnswer>>;

export function readWebhookAnswer(fields: Fields) {
  const status = fields.optionalInteger('status', 599) ?? 200;
  if (status < 200) fields.fault('status', 'must be from 200 to 599');
  return {
    status,
    delayMs: fields.optionalInteger('delayMs') ?? 0,
    /** How many requests are answered so; undefined: all. Afterwards it is 200 again. */
    count: fields.optionalInteger('count'),
    /** The token that a request must have; another one gets 401. */
    bearer: fields.optionalText('bearer', 500),
  };
}

const KEPT = 1000;
const WELL: WebhookAnswer = { status: 200, delayMs: 0, count: undefined, bearer: undefined };

export class WebhookReceiver {
  readonly #print: (line: string) => void;
  #received: ReceivedWebhook[] = [];
  #answer = WELL;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  get answer(): WebhookAnswer {
    return this.#answer;
  }

  set answer(answer: WebhookAnswer) {
    this.#answer = answer;
  }

  /** Newest first. */
  list(): readonly ReceivedWebhook[] {
    return this.#received.toReversed();
  }

  clear(): void {
    this.#received = [];
    this.#answer = WELL;
  }

  /** Resolves with the status to answer, when it is time. */
  async receive(headers: IncomingHttpHeaders, body: Buffer): Promise<number> {
    const { delayMs, bearer } = this.#answer;
    const isWelcome = bearer === undefined || headers.authorization === `Bearer ${bearer}`;
    const status = isWelcome ? this.#takeStatus() : 401;
    const text = body.toString('utf8');
    this.#received.push({ receivedAt: new Date().toISOString(), status, headers, body: text });
    if (this.#received.length > KEPT) this.#received.shift();
    this.#print(`webhook ${String(headers['webhook-id'])} ${oneLine(text)}: answered ${status}`);
    if (delayMs > 0) await delay(delayMs);
    return status;
  }

  #takeStatus(): number {
    const { status, count } = this.#answer;
    if (count !== undefined) this.#answer = count > 1 ? { ...this.#answer, count: count - 1 } : WELL;
    return status;
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, 200);
}
