/** What a person should hear of, although no call of the program failed (docs/outbox.md, "Reports"). */
import type { ProblemError } from '../errors.ts';

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

  /** Nothing that the program's own function does, or its promise, reaches whoever tells. */
  tell(kind: Report['kind'], message: string, about: Partial<Pick<Report, 'reference' | 'problem'>> = {}): void {
    const report = { kind, message, reference: null, problem: null, ...about };
    new Promise((resolve) => resolve(this.#report(report))).catch((error: unknown) => {
      print({ message: `${message} (and the function for reports failed: ${String(error)})` });
    });
  }

  /** Not again within five minutes; of a device that is stuck not within an hour. */
  tellSometimes(kind: 'Stuck' | 'Stranger' | 'ClockAhead', device: number, message: string, reference: string): void {
    const [subject, pause] = kind === 'Stuck' ? [`${kind} ${device}`, HOUR] : [kind, MINUTES_5];
    const now = performance.now();
    if (now - (this.#toldAt.get(subject) ?? Number.NEGATIVE_INFINITY) < pause) return;
    this.#toldAt.set(subject, now);
    this.tell(kind, message, { reference });
  }
}

function print({ message }: Pick<Report, 'message'>): void {
  process.stderr.write(`Tillseal: ${message}\n`);
}
