import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { LogLevel } from '../settings.ts';
import { logOutput } from './log-output.ts';

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
