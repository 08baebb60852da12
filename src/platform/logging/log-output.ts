import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

const STANDARD_OUTPUT = 1;
const AGAIN_AFTER_MS = 500;
/** What may wait to be written. A log that is not read must not fill the memory: what exceeds this is lost. */
const MAX_BYTES = 1 << 20;

/**
 * Standard output for the log, without waiting for it. It may be a file on a disk that is full: then lines wait, or are lost, and the
 * service goes on. (The destination that pino brings ends the process at the first failed write, and then tries the rest
 * again for ever, so that it neither works nor ends.)
 */
export function logOutput(fileDescriptor = STANDARD_OUTPUT): DestinationStream {
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
  // What is being written at that moment is finished by Node.
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
