import { describeClients } from './describe-clients.ts';
import { LANGUAGES } from './languages.ts';

describeClients(LANGUAGES);
