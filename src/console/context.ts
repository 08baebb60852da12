import type { FastifyRequest } from 'fastify';
import type { PaymentWork } from '../billpay/index.ts';
import type { Gateway } from '../fdms/index.ts';
import type { Administration } from '../platform/http/administration.ts';
import type { MasterKeys } from '../platform/master-keys.ts';
import { type Allow, principalOf } from './operators/principal.ts';
import type { AuthorityState } from './overview/read-overview.ts';

/** What the administration routes are given. */
export interface ConsoleContext extends Administration {
  readonly masterKeys: MasterKeys;
  /** The hook that lets in who has the role; it stands beside each route. */
  readonly allow: Allow;
  /** Where the console is opened, if that was set. */
  readonly publicUrl: string | undefined;
  readonly gateway: Gateway;
  /** Wakes a device: something new is due for it. */
  readonly poke: (taxpayerId: string, deviceId: number) => void;
  /** Whether a vendor's webhook may lead to this machine or its network; not by default. */
  readonly webhookAllowsPrivate?: boolean;
  /** In which operators see every time. */
  readonly timeZone: string;
  readonly authorityState: () => AuthorityState;
  /** A webhook may be due sooner than it is looked for. */
  readonly pokeWebhooks: () => void;
  /** Asks the biller to take a payment back, then writes it. */
  readonly reversePayment: PaymentWork['reverse'];
}

export function actorOf(request: FastifyRequest): { readonly actor: string } {
  return { actor: principalOf(request).actor };
}
