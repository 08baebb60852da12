import type { Refusal } from '../../kernel/refusal.ts';

/** Why a device seals nothing. Each is a fact of its own, and ended only by who may. */
export interface Hold {
  readonly kind: HoldKind | 'CertificateExpired';
  readonly reason: string;
  /** The operator who placed it. */
  readonly by?: string | null;
  readonly since: Date;
}

/** Those that are written down; an expired certificate is seen by the clock. */
export type HoldKind = 'Operator' | 'Restored' | 'AuthorityAhead' | 'Refused' | 'RowsLost';

/** What of a device decides whether it may sign. */
export interface HeldDevice {
  readonly deviceId: number;
  readonly holds: readonly Hold[];
  readonly certificateValidTill: Date | undefined;
}

/** The chain here may be older than what the authority has or tills were answered: nothing is done with the device but asking. */
const CHAIN_HOLDS: ReadonlySet<string> = new Set<HoldKind>(['Restored', 'AuthorityAhead', 'RowsLost']);

export function isChainHeld({ holds }: Pick<HeldDevice, 'holds'>): boolean {
  return holds.some(({ kind }) => CHAIN_HOLDS.has(kind));
}

/** Who ends it, and how. */
export const ENDED_BY: Readonly<Record<Hold['kind'], string>> = {
  Operator: 'An operator of the service can end this.',
  Restored: 'It ends when the authority has said which receipt it knows last.',
  AuthorityAhead:
    "It ends when the authority's numbers match again, or an administrator of the service goes on behind the missing receipts.",
  Refused: 'It ends when the authority accepts the device again, if need be once an operator has registered it again.',
  RowsLost: 'An administrator of the service can end this, by going on behind the missing receipts.',
  CertificateExpired: 'An operator has to register the device again, with a fresh activation key of the authority.',
};

/** It ends when somebody or something else says so; until then it is worth asking every minute. */
const ASK_AGAIN_SECONDS = 60;

/** With the one that nobody writes down. */
export function holdsOf({ holds, certificateValidTill: till }: HeldDevice, nowSeconds: number): readonly Hold[] {
  // What an expired certificate vouches for is worth nothing; the authority would refuse everything that is sent with it.
  if (till === undefined || nowSeconds * 1000 < till.getTime()) return holds;
  const reason = `its certificate expired on ${till.toISOString()}`;
  return [...holds, { kind: 'CertificateExpired', reason, since: till }];
}

/** A device that may sign nothing at all. That is no error of the receipt: the same one can be sealed once the hold ends. */
export function refuseOnHold(device: HeldDevice, nowSeconds: number): Refusal | undefined {
  const holds = holdsOf(device, nowSeconds);
  if (holds.length === 0) return undefined;
  const words = holds.map(({ kind, reason }) => `${reason}. ${ENDED_BY[kind]}`).join(' Also: ');
  const detail = `Device ${device.deviceId} is on hold: ${words} Nothing was signed; send the same receipt again later, with the header Late-Receipt: true.`;
  return { code: 'DeviceOnHold', detail, retryAfterSeconds: ASK_AGAIN_SECONDS };
}
