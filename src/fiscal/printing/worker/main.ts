import { parentPort } from 'node:worker_threads';
import type { Job, JobAnswer } from '../job.ts';
import { renderJob } from './render-job.ts';

/** A thread of its own: drawing takes tens of milliseconds, in which the thread that seals must not wait. */
parentPort?.on('message', (job: Job) => {
  renderJob(job).then(
    (outcome) => answer({ outcome }),
    (error: unknown) => answer({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});

function answer(message: JobAnswer): void {
  parentPort?.postMessage(message, []);
}
