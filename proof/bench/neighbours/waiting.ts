import { addTaxpayer } from '../../../src/fiscal/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { singleMasterKey } from '../../../src/platform/secrets/master-keys.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import type { ServiceProcess } from '../shared/processes.ts';
import { type Neighbour, requestText } from './neighbour.ts';

const TAXPAYERS = 10_000;
const IN_ONE_COMMIT = 100;
const SECONDS = 30;

/** One taxpayer per poll, with no events: what ten thousand tills do at night. */
export const waitingPolls: Neighbour = {
  name: '10,000 polls waiting for events',
  expects: 200,
  prepare: async (service, signal) => {
    const tokens: string[] = [];
    while (tokens.length < TAXPAYERS) {
      signal.throwIfAborted();
      tokens.push(...(await makeTaxpayers(service)));
    }
    await service.pool.query('vacuum analyze taxpayers, tokens, event_counters');
    const requests = tokens.map((token) =>
      requestText('GET', `/api/events?after=0&wait=${SECONDS}`, { authorization: `Bearer ${token}` }),
    );
    return { connections: TAXPAYERS, requests };
  },
};

function makeTaxpayers({ pool, masterKey }: ServiceProcess): Promise<string[]> {
  return inTransaction(pool, (tx) =>
    Promise.all(
      Array.from({ length: IN_ONE_COMMIT }, async () => {
        const taxpayerId = newId();
        const [, { token }] = await Promise.all([
          addTaxpayer(tx, singleMasterKey(masterKey), {
            taxpayerId,
            name: 'Bench',
            tin: '2000000001',
            vatNumber: '220000001',
          }),
          issueToken(tx, { taxpayerId, name: 'erp', scopes: ['read'] }),
        ]);
        return token;
      }),
    ),
  );
}
