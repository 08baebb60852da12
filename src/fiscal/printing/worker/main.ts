import { answerJobs } from '../../../platform/background-thread.ts';
import { renderJob } from './render-job.ts';

/** A thread of its own: drawing takes tens of milliseconds, in which the thread that seals must not wait. */
answerJobs(renderJob);
