import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addInstance, type Instance, serviceOfFile } from '../../../test/support/service.ts';
import { openShop, plainReceipt, type Shop, takeLane } from '../../../test/support/shop.ts';
import { type HoldKind, KINDS, SILENT_KINDS } from '../../contract/shared/kinds.ts';
import { announceAlerts } from '../../endpoints/announce-alerts.ts';
import { raise, settle } from '../../platform/alerts/store.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { wakeLane } from '../lanes/store.ts';
import { holdDevice, releaseDevice } from './hold-device.ts';

/**
 * Holds and quiet alerts of a device are raised and settled in any order by two instances, which seal, tell of them and are started again
 * meanwhile. A model of what is open says what every sale is answered, how often the head's revision moves, and what the feed has.
 */
const service = await serviceOfFile();
let shop: Shop;
let instances: Instance[];

const holdKind = fc.constantFrom('Operator', 'Restored', 'AuthorityAhead', 'Refused', 'RowsLost' as const);
const quietKind = fc.constantFrom('DeviceStopped', 'TaxesDiffer', 'AnswerUnclear' as const);
const words = fc.constantFrom('one', 'other');
const by = fc.nat(1);
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ step: fc.constant('hold' as const), by, kind: holdKind, words }) },
    {
      weight: 4,
      arbitrary: fc.record({
        step: fc.constant('release' as const),
        by,
        kinds: fc.uniqueArray(holdKind, { minLength: 1 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ step: fc.constant('raise' as const), by, kind: quietKind, words }) },
    { weight: 2, arbitrary: fc.record({ step: fc.constant('settle' as const), by, kind: quietKind }) },
    { weight: 6, arbitrary: fc.record({ step: fc.constant('sell' as const), by }) },
    { weight: 2, arbitrary: fc.record({ step: fc.constant('tell' as const), by }) },
    { weight: 1, arbitrary: fc.record({ step: fc.constant('restart' as const), by }) },
  ),
  { minLength: 5, maxLength: 40 },
);

async function tell(by: number): Promise<void> {
  await service.pool.query(`update alerts set raised_at = raised_at - interval '5 seconds' where announced_at is null`);
  while ((await announceAlerts(instances[by]?.pool ?? service.pool)) > 0);
}

async function one<Row extends object>(statement: string): Promise<Row> {
  const { rows } = await service.pool.query<Row>(statement, [shop.deviceId]);
  if (rows[0] === undefined) throw new Error('there is no row');
  return rows[0];
}

const revisionOf = async () =>
  (await one<{ revision: number }>('select revision from device_heads where device_id = $1')).revision;

test('sealing refuses exactly while a stopping kind is open; each alert is raised once and solved once in the feed', async () => {
  let sale = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (run) => {
      shop = await openShop(service);
      await takeLane(service, shop);
      instances = [await addInstance(service), await addInstance(service)];
      const { taxpayerId, deviceId } = shop;
      const key = { taxpayerId, deviceId };
      const holds = new Map<HoldKind, string>();
      const said = new Map<string, string>();
      let [raised, blocked, released] = [0, 0, 0];
      let revision = await revisionOf();
      const inTx = (by: number, work: (tx: Awaited<ReturnType<typeof wakeLane>>) => Promise<void>) =>
        inTransaction(instances[by]?.pool ?? service.pool, async (tx) => work(await wakeLane(tx, key)));
      const release = (by: number, kinds: readonly HoldKind[]) => {
        const before = holds.size;
        for (const kind of kinds) holds.delete(kind);
        if (holds.size < before) revision += 1;
        if (holds.size < before && holds.size === 0) released += 1;
        return inTx(by, (tx) => releaseDevice(tx, key, kinds, service.now));
      };
      for (const step of run) {
        if (step.step === 'hold') {
          const { kind, words: reason } = step;
          if (!holds.has(kind)) blocked += 1;
          if (!holds.has(kind) && !SILENT_KINDS.includes(kind)) raised += 1;
          if (holds.get(kind) !== reason) revision += 1;
          holds.set(kind, reason);
          await inTx(step.by, (tx) => holdDevice(tx, key, { kind, reason }, service.now));
        } else if (step.step === 'release') {
          await release(step.by, step.kinds);
        } else if (step.step === 'raise') {
          const { kind, words: message } = step;
          if (!said.has(kind)) raised += 1;
          said.set(kind, message);
          await raise(service.pool, { kind, ...key, message });
        } else if (step.step === 'settle') {
          said.delete(step.kind);
          await settle(service.pool, step.kind, key);
        } else if (step.step === 'sell') {
          sale += 1;
          const answer = await instances[step.by]?.sign(shop.token, plainReceipt(deviceId, `S-${sale}`, '10'));
          expect(answer?.statusCode).toBe(holds.size === 0 ? 200 : 503);
          if (holds.size > 0) expect(answer?.json()).toMatchObject({ Code: 'DeviceOnHold' });
        } else if (step.step === 'tell') {
          await tell(step.by);
        } else {
          await instances[step.by]?.close();
          instances[step.by] = await addInstance(service);
        }
        expect(await revisionOf()).toBe(revision);
      }
      await tell(0);
      await release(0, [...holds.keys()]);
      for (const kind of ['DeviceStopped', 'TaxesDiffer', 'AnswerUnclear'] as const)
        await settle(service.pool, kind, key);
      await Promise.all([tell(0), tell(1)]);
      const { rows } = await service.pool.query<{ type: string; alert: string | null; count: number }>(
        `select type, data ->> 'AlertId' as alert, count(*)::integer as count from events where tenant_id = $1 group by 1, 2`,
        [taxpayerId],
      );
      const of = (type: string) => rows.filter((row) => row.type === type);
      for (const type of ['alert.raised', 'alert.solved']) {
        expect(of(type).map(({ count }) => count)).toEqual(Array.from({ length: raised }, () => 1));
      }
      expect(new Set(of('alert.solved').map(({ alert }) => alert))).toEqual(
        new Set(of('alert.raised').map(({ alert }) => alert)),
      );
      expect([of('device.blocked')[0]?.count ?? 0, of('device.released')[0]?.count ?? 0]).toEqual([blocked, released]);
      for (const instance of instances) await instance.close();
    }),
    { numRuns: 15 },
  );
});

test('every kind that stops sealing is about a device, and says who ends it', () => {
  for (const kind of Object.values(KINDS).filter(({ stops }) => stops !== null)) {
    expect([kind.about, 'words' in kind]).toEqual(['device', true]);
  }
});
