import { UnconfirmedError } from './server.ts';

/** A customer, or an operator, is waiting: longer than this nobody waits to hear whether something is written. */
export const MAX_UNDECIDED_MS = 9500;

/** Fails when the database has not answered by then. What was asked goes on, and may yet be done. */
export async function inTime<Result>(work: Promise<Result>, patienceMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new UnconfirmedError('the database did not answer in time')), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
