import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** What the driver asks for. Its `key` is a receipt's Reference, a payment's VendorReference or a change's number. */
export type Act = 'sign' | 'pay' | 'reverse' | 'change';

/** Written before the first attempt. */
export interface Intent {
  readonly kind: 'intent';
  readonly act: Act;
  readonly key: string;
  readonly at: number;
  readonly body: object;
}

/** One attempt and its outcome. `status` 0: no answer, so the outcome is unknown. */
export interface Attempt {
  readonly kind: 'attempt';
  readonly act: Act;
  readonly key: string;
  readonly instance: string;
  readonly sentAt: number;
  readonly at: number;
  readonly status: number;
  readonly isReplay: boolean;
  /** The answer's body, or why there was none. */
  readonly answer: unknown;
}

/** The driver's own record, on disk: what it sent and what was answered. It is all that the checker gets from the driver. */
export class Ledger {
  readonly attempts: Attempt[] = [];
  intents = 0;
  readonly #file: FileHandle;
  readonly #lines: string[] = [];
  readonly #waiting: (() => void)[] = [];
  #isClosed = false;
  readonly #writing: Promise<void>;

  private constructor(file: FileHandle) {
    this.#file = file;
    this.#writing = this.#write();
  }

  static async open(path: string): Promise<Ledger> {
    return new Ledger(await open(path, 'ax', 0o600));
  }

  /** Resolves when it is on the disk: nothing is sent before it is recorded. */
  intend(act: Act, key: string, body: object): Promise<void> {
    this.intents += 1;
    this.#add({ kind: 'intent', act, key, at: Date.now(), body });
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  attempted(attempt: Omit<Attempt, 'kind'>): void {
    const entry = { kind: 'attempt', ...attempt } as const;
    this.attempts.push(entry);
    this.#add(entry);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
    await this.#file.close();
  }

  #add(entry: Intent | Attempt): void {
    this.#lines.push(`${JSON.stringify(entry)}\n`);
  }

  async #write(): Promise<void> {
    for (;;) {
      const isLast = this.#isClosed;
      const text = this.#lines.splice(0).join('');
      const waiting = this.#waiting.splice(0);
      if (text !== '') {
        await this.#file.write(text);
        await this.#file.datasync();
        for (const resolve of waiting) resolve();
      }
      if (isLast) return;
      await delay(5);
    }
  }
}

export interface Load {
  readonly requests: number;
  readonly attempts: number;
  readonly answered: number;
  readonly refused: number;
  readonly unknown: number;
  /** Attempts by status; 0 is no answer. */
  readonly byStatus: Readonly<Record<string, number>>;
}

export function loadOf({ attempts, intents }: Ledger): Load {
  const byStatus: Record<string, number> = {};
  for (const { status } of attempts) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const where = (test: (status: number) => boolean) => attempts.filter(({ status }) => test(status)).length;
  return {
    requests: intents,
    attempts: attempts.length,
    answered: where((status) => status === 200),
    refused: where((status) => status >= 400),
    unknown: where((status) => status === 0),
    byStatus,
  };
}
