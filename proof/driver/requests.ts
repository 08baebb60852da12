import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../world/random.ts';
import type { Site } from '../world/site.ts';
import type { Act, Ledger } from './ledger.ts';

const ATTEMPT_MS = 4000;
const HELD_MS = 50;
/** The longest pause between two attempts, in multiples of the first. */
const MAX_PAUSES = 8;

/** A request of the driver: the same bytes every time it is sent. */
export interface Request {
  readonly act: Act;
  readonly key: string;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly token: string;
  readonly body: object;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

type Instance = Site['instances'][number];

/** Sends requests to instances, records every attempt, and repeats what was not answered at any other instance. */
export class Sender {
  readonly #ledger: Ledger;
  readonly #instances: readonly Instance[];
  readonly #random: Random;
  #deadline = Number.POSITIVE_INFINITY;
  /** Requests that wait for their answer. */
  inFlight = 0;
  /** Nothing is sent. */
  isHeld = false;

  constructor(ledger: Ledger, instances: readonly Instance[], random: Random) {
    this.#ledger = ledger;
    this.#instances = instances;
    this.#random = random;
  }

  /** After this moment nothing is repeated. */
  giveUpAt(deadline: number): void {
    this.#deadline = deadline;
  }

  /** Repeats it until there is a final answer; undefined when there was none before `giveUpAt`. */
  async settle(request: Request, copies = 1): Promise<Answer | undefined> {
    await this.#ledger.intend(request.act, request.key, request.body);
    for (let round = 0; ; round += 1) {
      const targets = this.#random.shuffled(this.#instances).slice(0, round === 0 ? copies : 1);
      const answers = await Promise.all(targets.map((instance) => this.#attempt(request, instance)));
      const final = answers.find(({ status }) => status === 200) ?? answers.find(isFinal);
      if (final !== undefined && answers.every(isFinal)) return final;
      if (Date.now() > this.#deadline) return undefined;
      await delay(this.#random.between(100, 400) * Math.min(round + 1, MAX_PAUSES));
    }
  }

  async #attempt(request: Request, instance: Instance): Promise<Answer> {
    while (this.isHeld) await delay(HELD_MS);
    const sentAt = Date.now();
    this.inFlight += 1;
    const outcome = await send(request, instance.url);
    this.inFlight -= 1;
    const { status, isReplay, body } = outcome;
    const { act, key } = request;
    this.#ledger.attempted({
      act,
      key,
      instance: instance.name,
      sentAt,
      at: Date.now(),
      status,
      isReplay,
      answer: body,
    });
    return { status, body };
  }
}

/** A 4xx will not change; after anything else, and when it arrived too slowly, the request may still succeed, or already has. */
export function isFinal({ status }: Pick<Answer, 'status'>): boolean {
  return status === 200 || (status >= 400 && status < 500 && ![408, 429].includes(status));
}

/** `status` 0: no answer, so the outcome is unknown. */
export async function send(request: Request, url: string) {
  try {
    const response = await fetch(`${url}/api/${request.path}`, {
      method: request.method,
      headers: { authorization: `Bearer ${request.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request.body),
      signal: AbortSignal.timeout(ATTEMPT_MS),
    });
    const text = await response.text();
    const body: unknown = JSON.parse(text);
    return { status: response.status, isReplay: response.headers.has('idempotent-replay'), body };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { status: 0, isReplay: false, body: cause instanceof Error ? cause.message : String(cause) };
  }
}
