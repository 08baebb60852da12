import { LANGUAGES } from '../../clients/languages.ts';
import { describeClients } from './describe-clients.ts';
import { describeOldSales } from './describe-old-sales.ts';

describeClients(LANGUAGES);
describeOldSales(LANGUAGES);
