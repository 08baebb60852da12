import { write, writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from '../settings.ts';

/**
 * Nothing secret is logged on purpose; this list is the net underneath, for the day someone logs a whole request, row or
 * receipt: tokens, keys and whatever describes a buyer.
 */
const SECRET_FIELDS = [
  'authorization',
  'cookie',
  'token',
  'cashierToken',
  'password',
  'masterKey',
  'privateKey',
  'private_key_encrypted',
  'privateKeyEncrypted',
  'BuyerTIN',
  'BuyerVAT',
  'BuyerName',
  'BuyerAddress',
  'BuyerPhone',
  'BuyerEmail',
  'body',
];
const PATHS = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]);

/** One for all loggers of the process: two would cut into each other's lines, and each waits for the process to end. */
let standardOutput: DestinationStream | undefined;

/** JSON lines for machines; readable lines where a person is watching. `fields` are added to each of them. */
export function createLogger(level: LogLevel, destination?: DestinationStream, fields?: () => object): Logger {
  standardOutput ??= process.stdout.isTTY
    ? pretty({ sync: true, ignore: 'pid,hostname', singleLine: true })
    : logOutput();
  const options = {
    level,
    redact: { paths: PATHS, censor: '[redacted]' },
    serializers: { err: safeError },
    formatters: { log: withSafeErrors },
    timestamp: pino.stdTimeFunctions.isoTime,
    ...(fields === undefined ? {} : { mixin: fields }),
  };
  return pino(options, destination ?? standardOutput);
}

/** Errors that were logged under another name than `err`, which has its serializer. */
function withSafeErrors(fields: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(fields);
  const isOther = ([name, value]: [string, unknown]) => name !== 'err' && value instanceof Error;
  if (!entries.some(isOther)) return fields;
  return Object.fromEntries(
    entries.map(([name, value]) => [name, name !== 'err' && value instanceof Error ? safeError(value) : value]),
  );
}

/**
 * PostgreSQL repeats the offending row in an error's `detail` and `where`, and with it a buyer's name. What, which
 * constraint and where in the code is enough to find the fault.
 */
function safeError(error: Error & { code?: unknown; constraint?: unknown }) {
  return {
    type: error.name,
    message: error.message,
    code: error.code,
    constraint: error.constraint,
    stack: error.stack,
    cause: error.cause instanceof Error ? error.cause.message : undefined,
  };
}

const STANDARD_OUTPUT = 1;
const AGAIN_AFTER_MS = 500;
/** What may wait to be written. A log that is not read must not fill the memory: what exceeds this is lost. */
const MAX_BYTES = 1 << 20;

/**
 * Standard output for the log, without waiting for it. It may be a file on a disk that is full: then lines wait, or are lost, and the
 * service goes on. (The destination that pino brings ends the process at the first failed write, and then tries the rest
 * again for ever, so that it neither works nor ends.)
 */
function logOutput(fileDescriptor = STANDARD_OUTPUT): DestinationStream {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let isBusy = false;

  const takeWaiting = (): Buffer => {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    return bytes;
  };
  const keep = (bytes: Buffer, place: 'push' | 'unshift'): void => {
    waiting[place](bytes);
    waitingBytes += bytes.length;
  };
  const writeOn = (): void => {
    isBusy = waitingBytes > 0;
    if (!isBusy) return;
    const bytes = takeWaiting();
    write(fileDescriptor, bytes, (error, written) => {
      keep(bytes.subarray(error ? 0 : written), 'unshift');
      if (error) setTimeout(writeOn, AGAIN_AFTER_MS).unref();
      else writeOn();
    });
  };
  // As much as fits at once: of a log whose reader is behind by more than a pipe holds, the rest is lost.
  process.once('exit', () => {
    try {
      writeSync(fileDescriptor, takeWaiting());
    } catch {
      // Nothing takes it.
    }
  });
  return {
    write: (line) => {
      if (waitingBytes + line.length > MAX_BYTES) return;
      keep(Buffer.from(line), 'push');
      if (!isBusy) writeOn();
    },
  };
}
