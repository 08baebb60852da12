import { type HoldKind, KINDS } from '../../contract/shared/kinds.ts';
import type { Refusal } from '../../kernel/refusal.ts';

/** Why a device seals nothing. Each is ended separately, and only by those who may end it. */
export interface Hold {
  readonly kind: HoldKind;
  readonly reason: string;
  /** The operator who placed it. */
  readonly by?: string | null;
  readonly since: Date;
}

/** What of a device decides whether it may sign. */
export interface HeldDevice {
  readonly deviceId: number;
  readonly holds: readonly Hold[];
  readonly certificateValidTill: Date | undefined;
}

/** The chain here may be older than what the authority has or tills were answered: nothing is done with the device but asking. */
export function isChainHeld({ holds }: Pick<HeldDevice, 'holds'>): boolean {
  return holds.some(({ kind }) => KINDS[kind].stops === 'chain');
}

/** Nobody needs it any more: it is neither used nor looked after. */
export function isGivenUp({ holds }: Pick<HeldDevice, 'holds'>): boolean {
  return holds.some(({ kind }) => kind === 'GivenUp');
}

/** It ends when somebody or something else says so; until then it is worth asking every minute. */
const ASK_AGAIN_SECONDS = 60;

/** The stored ones, and the one that follows from the clock: an expired certificate. */
export function holdsOf({ holds, certificateValidTill: till }: HeldDevice, nowSeconds: number): readonly Hold[] {
  if (isGivenUp({ holds })) return holds;
  // What an expired certificate vouches for is worth nothing; the authority would refuse everything that is sent with it.
  if (till === undefined || nowSeconds * 1000 < till.getTime()) return holds;
  const reason = `its certificate expired on ${till.toISOString()}`;
  return [...holds, { kind: 'CertificateExpired', reason, since: till }];
}

/** A device that may sign nothing at all. That is no error of the receipt: the same one can be sealed once the hold ends. */
export function refuseOnHold(device: HeldDevice, nowSeconds: number): Refusal | undefined {
  const holds = holdsOf(device, nowSeconds);
  if (holds.length === 0) return undefined;
  const words = holds.map(({ kind, reason }) => `${reason}. ${KINDS[kind].words}`).join(' Also: ');
  const detail = `Device ${device.deviceId} is on hold: ${words} Nothing was signed; send the same receipt again later, with the header Late-Receipt: true.`;
  return { code: 'DeviceOnHold', detail, retryAfterSeconds: ASK_AGAIN_SECONDS };
}
