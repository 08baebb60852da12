import { describeClients } from './describe-clients.ts';
import { LANGUAGES } from './tills/languages.ts';

// What must be compiled first takes as long as all the others together: the proof has it.
describeClients(LANGUAGES.filter(({ build }) => build === undefined));
