import { JournalError } from '../errors.ts';

/** Runs a step on the disk; where it fails, the error says which file it was and what was to be done with it. */
export function explained<Result>(file: string, what: string, step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) throw error;
    const reason = error.code === 'ENOSPC' || error.code === 'EDQUOT' ? 'the disk is full' : error.message;
    throw new JournalError(`${file} cannot be ${what}: ${reason}.`, { cause: error });
  }
}
