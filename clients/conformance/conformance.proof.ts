import { describeClients } from './describe-clients.ts';
import { LANGUAGES } from './tills/languages.ts';

describeClients(LANGUAGES);
