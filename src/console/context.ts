import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Pool } from 'pg';
import type { Gateway } from '../authority/index.ts';
import { operatorOf } from '../fiscal/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { MasterKeys } from '../platform/master-keys.ts';

/** What the administration routes are given. `onRequest` lets only operators in. */
export interface ConsoleContext {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly clock: Clock;
  readonly onRequest: onRequestAsyncHookHandler;
  readonly gateway: Gateway;
  /** Wakes a device: something new is due for it. */
  readonly poke: (taxpayerId: string, deviceId: number) => void;
}

export function actorOf(request: FastifyRequest): { readonly actor: string } {
  const { tokenId, name } = operatorOf(request);
  return { actor: `${name} (token ${tokenId})` };
}
