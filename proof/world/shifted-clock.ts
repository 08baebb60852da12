/**
 * Loaded with `node --import` into the instances of a chaos run, never by the product: it shifts Date by the milliseconds in a
 * file, read again at SIGUSR2. Timers and performance.now() are not changed, just as when a machine's clock is set.
 */
import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env['CHAOS_CLOCK_FILE'];
const RealDate = Date;
let offsetMs = 0;

function readOffset(): void {
  try {
    offsetMs = Number(readFileSync(file ?? '', 'utf8')) || 0;
  } catch {
    offsetMs = 0;
  }
}

class ShiftedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [ShiftedDate.now()] : given) as [number]));
  }

  static override now(): number {
    return RealDate.now() + offsetMs;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object Date]';
  }
}

if (file !== undefined && isMainThread) {
  readOffset();
  process.on('SIGUSR2', readOffset);
  globalThis.Date = ShiftedDate as DateConstructor;
}
