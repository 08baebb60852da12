/**
 * Fixed attacks, and who may do what, on one service with two tenants of each kind: starting it, and giving them a row of everything,
 * takes as long as many of the tests.
 */
import { afterAll, describe } from 'vitest';
import { attackedService } from './attacked-service.ts';
import { tenantsApart } from './authorisation/apart.ts';
import { everybody } from './authorisation/everybody.ts';
import { makeEverything } from './authorisation/everything.ts';
import { hostileAddresses } from './hostile/addresses.ts';
import { hostileBodies } from './hostile/bodies.ts';
import { hostileCredentials } from './hostile/credentials.ts';
import { paging } from './hostile/paging.ts';
import { otherTenants } from './hostile/tenants.ts';
import { hostileWire } from './hostile/wire.ts';
import { makeCredentials } from './world/credentials.ts';

const attacked = await attackedService();
/** Waits for slow senders for a short time only. */
const hasty = await attackedService({ patience: { headersMs: 1500, requestMs: 3000, checkEveryMs: 100 } });
afterAll(() => Promise.all([attacked.close(), hasty.close()]));

const { own, others } = attacked;
const there = await makeEverything(attacked, own, 'Abacus');
const elsewhere = await makeEverything(attacked, others, 'Zeppelin');
const credentials = await makeCredentials(attacked);

describe('tenants apart', () => {
  const one = { word: 'Abacus', prefix: '', tenants: own, there } as const;
  const other = { word: 'Zeppelin', prefix: 'another ', tenants: others, there: elsewhere } as const;
  tenantsApart(attacked, [one, other], credentials);
});
describe('everybody', () => everybody(attacked, there, credentials));
describe("another taxpayer's", () => otherTenants(attacked, there, elsewhere));
describe('paging', () => paging(attacked, there));
describe('hostile credentials', () => hostileCredentials(attacked, credentials));
describe('hostile addresses', () => hostileAddresses(attacked));
describe('hostile bodies', () => hostileBodies(attacked));
describe('hostile bytes', () => hostileWire(attacked, hasty));
