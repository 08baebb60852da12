import { LANGUAGES } from '../../clients/languages.ts';
import { describeClients } from './describe-clients.ts';
import { describeOldSales } from './describe-old-sales.ts';

// A language that must be compiled first takes as long as all the others together, so only the proof includes it.
const languages = LANGUAGES.filter(({ build }) => build === undefined);
describeClients(languages);
describeOldSales(languages);
