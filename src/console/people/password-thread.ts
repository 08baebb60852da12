import { type Argon2Parameters, argon2Sync } from 'node:crypto';
import { answerJobs } from '../../platform/work/background.ts';

/** Checking a password takes a core for some milliseconds, and who asks for it is not known yet: it must not cost sealing. */
answerJobs((parameters: Argon2Parameters) => argon2Sync('argon2id', parameters));
