import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as chainContract from '../../contract/fiscal/device-chain.ts';
import * as contract from '../../contract/fiscal/device-work.ts';
import { Refused, refused } from '../../kernel/refusal.ts';
import { formatZoned } from '../../kernel/zone.ts';
import { seconds } from '../../platform/clock.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { route } from '../../platform/http/route.ts';
import type { Device } from '../core/device.ts';
import { maintenanceWindow, nextOpening } from '../core/fiscal-day.ts';
import type { DayState } from '../core/head.ts';
import { isGivenUp } from '../core/hold.ts';
import { recordEvent } from '../events/store.ts';
import { type Decision, decideReceipt } from '../lanes/decide-receipt.ts';
import { NO_REQUEST, resumeLane, wakeLane } from '../lanes/store.ts';
import { readOutlook } from './configuration-store.ts';
import { GIVEN_UP_BEFORE, giveUpDevice } from './give-up-device.ts';
import { describeChain, goOn } from './go-on.ts';
import { NO_DEVICE, presentDevices } from './present-device.ts';
import { findDevices, lockHead } from './store.ts';

/** A wish to open a day that is open already would outlast it, and open the next one inside its maintenance window. */
const OPEN_STATES: ReadonlySet<DayState> = new Set<DayState>(['Opening', 'Opened', 'CloseFailed']);

export interface DeviceWork {
  /** Wakes a device: something new is due for it. */
  readonly poke: (taxpayerId: string, deviceId: number) => void;
}

/** What an operator does by hand with a device: day, lane, refused receipts. */
export function deviceWorkRoutes(
  app: FastifyInstance,
  { pool, clock, guard, audited, poke }: Administration & DeviceWork,
): void {
  /** Does the work with its audit entry in one transaction, then wakes the device. */
  async function act<Done extends object>(
    request: FastifyRequest,
    deviceId: number,
    action: string,
    work: (tx: Transaction, device: Device, actor: string) => Promise<Done | Refused>,
  ) {
    const [stored] = await findDevices(pool, [deviceId]);
    if (stored === undefined) return refused(NO_DEVICE);
    if (isGivenUp(stored.device)) return refused(GIVEN_UP_BEFORE);
    const { taxpayerId } = stored.device;
    const answer = await audited(request, async (tx, actor) => {
      const after = await work(tx, stored.device, actor);
      if (after instanceof Refused) return after;
      const subject = `device ${deviceId}`;
      return { action, taxpayerId, subject, after, answer: { AuthorityDeviceId: deviceId, ...after } };
    });
    if (!(answer instanceof Refused)) poke(taxpayerId, deviceId);
    return answer;
  }

  route(app, guard, contract.requestDay, ({ request, params, body }) =>
    body.Action === 'close'
      ? act(request, params.authorityDeviceId, 'day.close-requested', (tx, device) =>
          closeDay(tx, device, body.ThenOpen ?? false, clock()),
        )
      : act(request, params.authorityDeviceId, 'day.open-requested', async (tx, device) => {
          // The lane first, as in the keeper: while it is locked no day is opened or closed.
          await wakeLane(tx, device, NO_REQUEST);
          const head = await lockHead(tx, device.taxpayerId, device.deviceId);
          const isOpen = head !== undefined && OPEN_STATES.has(head.dayState);
          if (!isOpen) await wakeLane(tx, device, { ...NO_REQUEST, requested: 'open' });
          return { Action: 'open' as const };
        }),
  );

  route(app, guard, contract.resumeDevice, ({ request, params }) =>
    act(request, params.authorityDeviceId, 'lane.resumed', async (tx, device) => {
      await resumeLane(tx, device);
      return { Action: 'resume' as const };
    }),
  );

  route(app, guard, contract.giveUpDevice, async ({ request, params }) => {
    const given = await act(request, params.authorityDeviceId, 'device.given-up', (tx, device, actor) =>
      giveUpDevice(tx, device, { actor, now: clock() }),
    );
    if (given instanceof Refused) return given;
    const now = seconds(clock());
    const [shown] = await presentDevices(pool, await findDevices(pool, [params.authorityDeviceId]), now);
    return shown ?? refused(NO_DEVICE);
  });

  route(app, guard, chainContract.getChain, async ({ params }) => {
    const [stored] = await findDevices(pool, [params.authorityDeviceId]);
    return stored === undefined ? refused(NO_DEVICE) : describeChain(pool, stored, clock());
  });

  route(app, guard, chainContract.goOn, ({ request, params, body }) =>
    act(request, params.authorityDeviceId, 'chain.continued', (tx, device) =>
      goOn(tx, device, body.GlobalCounter, clock()),
    ),
  );

  route(app, guard, contract.decideReceipt, ({ request, params, body: { Decision, AuthorityReceiptId } }) =>
    act(request, params.authorityDeviceId, 'receipt.decided', async (tx, { taxpayerId, deviceId }) => {
      const { globalCounter } = params;
      const decision = decisionOf(Decision, AuthorityReceiptId);
      if (decision instanceof Refused) return decision;
      const at = clock();
      const reference = await decideReceipt(tx, { taxpayerId, deviceId, globalCounter }, decision, at);
      if (reference === undefined) {
        return refused({ code: 'NotFound', detail: 'There is no receipt with this number to decide about.' });
      }
      if (decision.kind === 'take-as-accepted') {
        const data = { Reference: reference, AuthorityDeviceId: deviceId, GlobalCounter: globalCounter, Remarks: [] };
        await recordEvent(tx, { taxpayerId, type: 'receipt.submitted', at, data });
      }
      return { GlobalCounter: globalCounter, Decision, ...(AuthorityReceiptId && { AuthorityReceiptId }) };
    }),
  );
}

function decisionOf(kind: Decision['kind'], authorityReceiptId: string | undefined): Decision | Refused {
  if (kind !== 'take-as-accepted') return { kind };
  if (authorityReceiptId !== undefined) return { kind, authorityReceiptId: BigInt(authorityReceiptId) };
  const error = { Field: 'AuthorityReceiptId', Code: 'Required', Message: 'is needed with take-as-accepted' };
  return refused({ code: 'InvalidRequest', detail: 'The decision has errors.', errors: [error] });
}

/** Until when nothing is sealed is written down with the wish, so that it holds however long the closing takes. */
async function closeDay(tx: Transaction, device: Device, isThenOpened: boolean, now: Date) {
  const { taxpayerId, deviceId, zone } = device;
  const nowSeconds = seconds(now);
  const reopenAfterSeconds = isThenOpened ? nowSeconds : maintenanceWindow(device, nowSeconds).endSeconds;
  const reopenAfter = new Date(reopenAfterSeconds * 1000);
  await wakeLane(tx, device, { requested: 'close', reopenAfter, pausedUntil: null });
  const outlook = await readOutlook(tx, taxpayerId, deviceId);
  const closing = { dayState: 'Closing', requested: 'close', reopenAfterSeconds, isHeldUp: false } as const;
  const opening = nextOpening(device, closing, nowSeconds);
  return {
    Action: 'close' as const,
    ThenOpen: isThenOpened,
    OpensAt: opening?.kind === 'at' ? formatZoned(zone, opening.atSeconds) : null,
    RedReceipts: [...(outlook?.redReferences ?? [])],
    StoppedBy: outlook?.stoppedBy?.reference ?? null,
  };
}
