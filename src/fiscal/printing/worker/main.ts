import { answerJobs } from '../../../platform/work/background.ts';
import type { HelperOutcome, Job } from '../job.ts';
import { renderJob } from './render-job.ts';
import { takeMissingFonts } from './script-fonts.ts';

/** A separate process: drawing takes tens of milliseconds and more, which must not delay sealing. */
answerJobs(async (job: Job): Promise<HelperOutcome> => {
  const outcome = await renderJob(job);
  return { ...outcome, missingFonts: takeMissingFonts() };
});
