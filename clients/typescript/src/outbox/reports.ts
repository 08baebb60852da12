/** What a person should know although no call of the program failed (docs/outbox.md, "Reports"). */
import { writeSync } from 'node:fs';
import type { ProblemError } from '../wire/errors.ts';

export interface Report {
  readonly kind: 'SetAside' | 'Halted' | 'Stuck' | 'Stranger' | 'ClockAhead' | 'SignedAfterAll' | 'Failed';
  /** For people. */
  readonly message: string;
  readonly reference: string | null;
  readonly problem: ProblemError | null;
}

const MINUTES_5 = 5 * 60_000;
const HOUR = 60 * 60_000;

export class Reports {
  readonly #report: (report: Report) => unknown;
  readonly #toldAt = new Map<string, number>();

  constructor(report: (report: Report) => unknown = print) {
    this.#report = report;
  }

  /** Whatever the program's own function throws, or its promise, must not reach the caller. */
  tell(kind: Report['kind'], message: string, about: Partial<Pick<Report, 'reference' | 'problem'>> = {}): void {
    const report = { kind, message, reference: null, problem: null, ...about };
    new Promise((resolve) => resolve(this.#report(report))).catch((error: unknown) => {
      print({ message: `${message} (and the function for reports failed: ${String(error)})` });
    });
  }

  /** For the same device not again within five minutes, or within an hour when it is stuck. */
  tellSometimes(
    kind: 'Stuck' | 'Stranger' | 'ClockAhead' | 'Failed',
    device: number | null,
    message: string,
    reference: string | null = null,
  ): void {
    const [subject, pause] = [`${kind} ${device}`, kind === 'Stuck' ? HOUR : MINUTES_5];
    const now = performance.now();
    if (now - (this.#toldAt.get(subject) ?? Number.NEGATIVE_INFINITY) < pause) return;
    this.#toldAt.set(subject, now);
    this.tell(kind, message, { reference });
  }
}

function print({ message }: Pick<Report, 'message'>): void {
  try {
    // Not `process.stderr.write`, whose failure (a full disk) comes later, and ends the process.
    writeSync(2, `Tillseal: ${message}\n`);
  } catch {}
}
