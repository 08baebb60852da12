/** The real service as a process, with its own database and simulator, a taxpayer's token and any number of devices. */

import { answerOf } from '../../../test/support/ask.ts';
import { AuthorityBooks } from '../../../test/support/authority/books.ts';
import { farWindow } from '../../../test/support/local-shop.ts';
import { readDemoFile, spawnService, until } from '../../../test/support/process.ts';

export interface SealedSale {
  readonly Reference: string;
  readonly GlobalCounter: number;
  readonly TotalAmount: number;
}

export interface World {
  readonly url: string;
  readonly token: string;
  readonly taxpayerId: string;
  readonly deviceIds: readonly number[];
  /** A call of the operators' API. */
  admin<T>(method: string, path: string, body?: object): Promise<T>;
  isSealed(reference: string): Promise<boolean>;
  /** All receipts of a device, in the order of its chain. */
  receipts(deviceId: number): Promise<SealedSale[]>;
  /** Whether the chain of a device is valid, proved by the verifier. */
  holds(deviceId: number): Promise<boolean>;
  close(): Promise<void>;
}

const TIN = '2000000001';

export async function openWorld(dataDir: string, devices: number): Promise<World> {
  const service = spawnService({ DATA_DIR: dataDir });
  // Not a kill, which would leave its database running.
  process.once('exit', () => service.child.kill('SIGTERM'));
  try {
    const url = await service.ready;
    const { taxpayer, operator, simulator } = await readDemoFile(dataDir);
    const ask = <T>(token: string, method: string, path: string, body?: object) =>
      answerOf<T>({ url, token }, method, path, body);
    const admin = operator.token ?? '';
    const books = new AuthorityBooks(simulator.controlUrl);
    const deviceIds = Array.from({ length: devices }, (_, index) => 41_001 + index);
    const register = async (deviceId: number) => {
      const announced = await books.announce({ taxpayerId: taxpayer.id, tin: TIN }, deviceId);
      await ask(admin, 'POST', '/api/admin/devices', { ...announced, MaintenanceStart: farWindow().time });
    };
    await Promise.all(deviceIds.map(register));
    await until(
      async () => (await Promise.all(deviceIds.map((id) => books.days(id)))).every(({ length }) => length > 0),
      'the days of all devices are open',
      120_000,
    );
    return {
      url,
      token: taxpayer.token,
      taxpayerId: taxpayer.id,
      deviceIds,
      admin: (method, path, body) => ask(admin, method, path, body),
      isSealed: async (reference) => {
        const path = `/api/receipt?Reference=${encodeURIComponent(reference)}`;
        return (await ask<{ Receipts: unknown[] }>(taxpayer.token, 'GET', path)).Receipts.length > 0;
      },
      receipts: async (deviceId) => {
        const all: SealedSale[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const path = `/api/receipt?AuthorityDeviceId=${deviceId}&Limit=200${cursor === '' ? '' : `&Cursor=${encodeURIComponent(cursor)}`}`;
          const page: { Receipts: SealedSale[]; NextCursor: string | null } = await ask(taxpayer.token, 'GET', path);
          all.push(...page.Receipts);
          cursor = page.NextCursor;
        }
        return all.toSorted((a, b) => a.GlobalCounter - b.GlobalCounter);
      },
      holds: async (deviceId) =>
        (await ask<{ Holds: boolean }>(admin, 'POST', `/api/admin/devices/${deviceId}/verify`)).Holds,
      close: async () => void (await service.stop()),
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
}
