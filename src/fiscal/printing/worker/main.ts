import { answerJobs } from '../../../platform/background-thread.ts';
import type { Job, ThreadOutcome } from '../job.ts';
import { renderJob } from './render-job.ts';
import { takeMissingFonts } from './script-fonts.ts';

/** A thread of its own: drawing takes tens of milliseconds, in which the thread that seals must not wait. */
answerJobs(async (job: Job): Promise<ThreadOutcome> => {
  const outcome = await renderJob(job);
  return { ...outcome, missingFonts: takeMissingFonts() };
});
