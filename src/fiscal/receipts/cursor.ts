import { parseWall } from '../../kernel/zone.ts';
import type { ListPosition } from '../sealed/store.ts';

/** A place in the list as opaque text. Whatever does not read back exactly is no cursor of ours. */
export function writeCursor(position: ListPosition): string {
  return Buffer.from(`${position.sealedAt}|${position.deviceId}|${position.globalCounter}`).toString('base64url');
}

export function readCursor(text: string): ListPosition | undefined {
  const plain = Buffer.from(text, 'base64url').toString('utf8');
  const match = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z)\|(\d{1,10})\|(\d{1,10})$/.exec(plain);
  const [, sealedAt, deviceId, globalCounter] = match ?? [];
  // PostgreSQL knows neither 30 February nor a year 0, and would fail on them.
  if (sealedAt === undefined || sealedAt.startsWith('0000') || parseWall(sealedAt.slice(0, 19)) === undefined) {
    return undefined;
  }
  const position = { sealedAt, deviceId: Number(deviceId), globalCounter: Number(globalCounter) };
  return position.deviceId > 2_147_483_647 || position.globalCounter > 2_147_483_647 ? undefined : position;
}
