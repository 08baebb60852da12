import { describeClients } from './describe-clients.ts';
import { LANGUAGES } from './tills/languages.ts';

// A language that must be compiled first takes as long as all the others together, so only the proof includes it.
describeClients(LANGUAGES.filter(({ build }) => build === undefined));
