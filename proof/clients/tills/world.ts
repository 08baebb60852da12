/** The real service as a process, with its own database and simulator, a taxpayer's token and any number of devices. */

import { answerOf } from '../../../test/support/ask.ts';
import { AuthorityBooks } from '../../../test/support/authority/books.ts';
import { readDemoFile, spawnService } from '../../../test/support/process.ts';
import type { Chain, SealedSale } from '../../checker/check-sales.ts';
import { Admin, MAKING_MS } from '../../world/admin.ts';
import { addDevices } from '../../world/shop.ts';

export interface World {
  readonly url: string;
  readonly token: string;
  readonly taxpayerId: string;
  readonly deviceIds: readonly number[];
  readonly admin: Admin;
  isSealed(reference: string): Promise<boolean>;
  chain(deviceId: number): Promise<Chain>;
  close(): Promise<void>;
}

export async function openWorld(dataDir: string, devices: number): Promise<World> {
  const service = spawnService({ DATA_DIR: dataDir });
  // Not a kill, which would leave its database running.
  process.once('exit', () => service.child.kill('SIGTERM'));
  try {
    const url = await service.ready;
    const { taxpayer, operator, simulator } = await readDemoFile(dataDir);
    const ask = <T>(path: string) => answerOf<T>({ url, token: taxpayer.token }, 'GET', path);
    const admin = new Admin([{ url }], operator.token ?? '', MAKING_MS);
    const books = new AuthorityBooks(simulator.controlUrl);
    const deviceIds = await addDevices(admin, books, taxpayer.id, devices);
    return {
      url,
      token: taxpayer.token,
      taxpayerId: taxpayer.id,
      deviceIds,
      admin,
      isSealed: async (reference) => {
        const path = `/api/receipt?Reference=${encodeURIComponent(reference)}`;
        return (await ask<{ Receipts: unknown[] }>(path)).Receipts.length > 0;
      },
      chain: async (deviceId) => {
        const all: SealedSale[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const path = `/api/receipt?AuthorityDeviceId=${deviceId}&Limit=200${cursor === '' ? '' : `&Cursor=${encodeURIComponent(cursor)}`}`;
          const page: { Receipts: SealedSale[]; NextCursor: string | null } = await ask(path);
          all.push(...page.Receipts);
          cursor = page.NextCursor;
        }
        const { Holds: holds } = await admin.call<{ Holds: boolean }>('POST', `devices/${deviceId}/verify`);
        return { deviceId, receipts: all.toSorted((a, b) => a.GlobalCounter - b.GlobalCounter), holds };
      },
      close: async () => void (await service.stop()),
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
}
