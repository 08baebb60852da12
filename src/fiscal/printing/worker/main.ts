import { answerJobs } from '../../../platform/work/background.ts';
import type { Job } from '../job.ts';
import { renderJob } from './render-job.ts';

/** A separate process: drawing takes tens of milliseconds and more, which must not delay sealing. */
answerJobs((job: Job) => renderJob(job));
