import { describeClients } from './describe-clients.ts';
import { describeOldSales } from './describe-old-sales.ts';
import { LANGUAGES } from './tills/languages.ts';

describeClients(LANGUAGES);
describeOldSales(LANGUAGES);
