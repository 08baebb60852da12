import { createPublicKey } from 'node:crypto';
import {
  type ConfigResponse,
  checkIssuedCertificate,
  createCertificateRequest,
  type DeviceIdentity,
  type IssuedCertificateCheck,
} from '../../fdms/index.ts';
import { formatZoned } from '../../kernel/zone.ts';
import { raise, settle } from '../../platform/alerts/store.ts';
import { seconds } from '../../platform/clock.ts';
import type { Device } from '../core/device.ts';
import { identityDifference } from '../core/identity-difference.ts';
import type { Lease } from '../core/lease.ts';
import type { Situation } from '../core/next-step.ts';
import { storeCertificate } from '../devices/configuration-store.ts';
import { bumpRevision, findIdentity } from '../devices/store.ts';
import { type LeasedTransaction, withLease } from '../lanes/lease-store.ts';
import { setLane } from '../lanes/store.ts';
import { ask, identityOf } from './ask-authority.ts';
import { CONTINUE, type KeeperContext, pause, type StepOutcome } from './context.ts';
import { onDeviceAccepted, onDeviceRefusal, onOfflineMode } from './device-refusal.ts';
import { takeConfiguration } from './take-taxes.ts';
import { alertUnclear, clearUnclear } from './unclear.ts';

const ASK_AGAIN_SECONDS = 60;
const CLOCKS_MAY_DIFFER_SECONDS = 120;

/** The authority's word on the device: taxes, day length, addresses. Each version is kept; one without use leaves the last in force. */
export async function refreshConfiguration(
  context: KeeperContext,
  lease: Lease,
  situation: Situation,
): Promise<StepOutcome> {
  const identity = await identityOf(context, situation.device);
  const answer = await ask(context, lease, () => context.gateway.config(identity));
  if (answer.kind === 'unavailable') {
    if (answer.unread === undefined) return pause(ASK_AGAIN_SECONDS, answer.reason, true);
    return onUnusableConfiguration(context, lease, { reason: answer.reason, body: answer.unread });
  }
  if (answer.kind === 'refused') return onDeviceRefusal(context, lease, answer);
  if (answer.value.deviceOperatingMode === 'Offline') return onOfflineMode(context, lease);
  if (situation.lane.isRefused) await onDeviceAccepted(context, lease);
  if (answer.value.applicableTaxes.length === 0) {
    const reason = "the authority's configuration lists no tax";
    return onUnusableConfiguration(context, lease, { reason, body: JSON.stringify(answer.value) });
  }
  const isClear = await withLease(context, lease, async (tx) => {
    const isTaken = await takeConfiguration(tx, lease, situation, answer.value, context.clock());
    await compareIdentity(tx, lease, answer.value);
    await setLane(tx, lease, { configurationCheckedAt: context.clock() });
    await settle(tx, 'ConfigurationUnusable', lease);
    const { doubts } = answer.value;
    if (doubts === undefined) await clearUnclear(tx, lease, situation, 'GetConfig');
    else await alertUnclear(tx, lease, 'GetConfig', doubts.join('; '));
    return isTaken;
  });
  // A first doubt asks again at once.
  if (isClear || situation.device.taxDoubt === undefined) return CONTINUE;
  return pause(ASK_AGAIN_SECONDS, "the authority's answers about its taxes differ", true);
}

/** It is asked for again in a minute; meanwhile the last good one decides, and nothing waits. */
async function onUnusableConfiguration(
  context: KeeperContext,
  lease: Lease,
  unusable: { readonly reason: string; readonly body: string },
): Promise<StepOutcome> {
  const message = `Device ${lease.deviceId} goes on with the last good configuration: ${unusable.reason}. Taxes that have changed at the authority since are not known here.`;
  await withLease(context, lease, async (tx) => {
    // Also where it was asked for before a day was opened, which no pause of care follows.
    await setLane(tx, lease, { configurationCheckedAt: new Date(0) });
    await raise(tx, { kind: 'ConfigurationUnusable', ...lease, message, data: { [unusable.reason]: unusable.body } });
  });
  return pause(ASK_AGAIN_SECONDS, unusable.reason, true);
}

/** Whoever sells goes on: the receipts are as good or bad as before, and only a person knows which side is wrong. */
async function compareIdentity(tx: LeasedTransaction, lease: Lease, configuration: ConfigResponse): Promise<void> {
  const difference = identityDifference(configuration, await findIdentity(tx, lease));
  if (difference === undefined) return settle(tx, 'DeviceDiffers', lease);
  const message = `By the authority's configuration device ${lease.deviceId} is not the one that was registered here: ${difference}. Ask the authority which is right.`;
  await raise(tx, { kind: 'DeviceDiffers', ...lease, message });
}

/** Says that the device is on, at the authority's rhythm; and looks whether the day comes near its end. */
export async function pingStep(context: KeeperContext, lease: Lease, situation: Situation): Promise<StepOutcome> {
  await warnOfDayEnd(context, lease, situation);
  const identity = await identityOf(context, situation.device);
  const answer = await ask(context, lease, () => context.gateway.ping(identity));
  if (answer.kind === 'unavailable') return pause(ASK_AGAIN_SECONDS, answer.reason, true);
  if (answer.kind === 'refused') return onDeviceRefusal(context, lease, answer);
  await withLease(context, lease, async (tx) => {
    // The authority wants to be told again after so many minutes.
    const pingMinutes = Math.min(Math.max(Math.trunc(answer.value.reportingFrequency), 1), 1440);
    await setLane(tx, lease, { pingedAt: context.clock(), pingMinutes });
    await compareClocks(tx, context, lease);
  });
  return CONTINUE;
}

/** The authority dates what it is sent by its own clock: red when it is from the future, and days by it too. */
async function compareClocks(tx: LeasedTransaction, { gateway }: KeeperContext, lease: Lease): Promise<void> {
  const { taxpayerId } = lease;
  const offset = gateway.clockOffsetSeconds() ?? 0;
  if (Math.abs(offset) <= CLOCKS_MAY_DIFFER_SECONDS) return settle(tx, 'ClockWrong', { taxpayerId });
  const difference = `${Math.abs(offset)} seconds ${offset > 0 ? 'behind' : 'ahead of'} the authority's`;
  const message = `The service's clock is ${difference}. Set it right: receipts may be refused for their date, or marked red, and days open and close at the wrong time.`;
  await raise(tx, { kind: 'ClockWrong', taxpayerId, message });
}

async function warnOfDayEnd(context: KeeperContext, lease: Lease, situation: Situation): Promise<void> {
  const { head, device, nowSeconds } = situation;
  if (head.dayState !== 'Opened' && head.dayState !== 'CloseFailed') return;
  const endsAt = (head.dayOpenedAtSeconds ?? nowSeconds) + device.dayMaximumHours * 3600;
  if (nowSeconds < endsAt - device.dayEndNoticeHours * 3600) return;
  const message = `Day ${head.fiscalDayNumber} of device ${lease.deviceId} reaches its maximum of ${device.dayMaximumHours} hours at ${formatZoned(context.timeZone, endsAt)}; after that nothing can be sealed.`;
  await withLease(context, lease, (tx) =>
    raise(tx, { kind: 'DayNearMaximum', ...lease, what: `day ${head.fiscalDayNumber}`, message }),
  );
}

/** Renews the certificate with the same key, in any state of the day, from 30 days before it expires. */
export async function renewCertificate(
  context: KeeperContext,
  lease: Lease,
  situation: Situation,
): Promise<StepOutcome> {
  const { deviceId } = lease;
  const { device } = situation;
  const identity = await identityOf(context, device);
  await withLease(context, lease, (tx) => setLane(tx, lease, { certificateTriedAt: context.clock() }));
  const request = await createCertificateRequest(identity.privateKey, device.serialNumber, deviceId);
  const answer = await ask(context, lease, () => context.gateway.issueCertificate(identity, request));
  const issued =
    answer.kind === 'answered' ? checkIssued(answer.value.certificate, context, identity, device) : undefined;
  if (answer.kind !== 'answered' || issued?.kind !== 'good') {
    const words =
      answer.kind === 'refused' ? answer.detail : answer.kind === 'unavailable' ? answer.reason : reasonOf(issued);
    const expires = device.certificateValidTill && formatZoned(context.timeZone, seconds(device.certificateValidTill));
    const message = `The certificate of device ${deviceId} expires at ${expires} and could not be renewed: ${words}. It is tried again every hour.`;
    await withLease(context, lease, (tx) => raise(tx, { kind: 'CertificateExpires', ...lease, message }));
    return CONTINUE;
  }
  const pem = answer.value.certificate;
  const { validTill } = issued.facts;
  await withLease(context, lease, async (tx) => {
    await storeCertificate(tx, lease, device.keyVersion, { pem, validTill });
    await bumpRevision(tx, lease);
    await settle(tx, 'CertificateExpires', lease);
  });
  context.log.info({ deviceId, validTill }, 'renewed the device certificate');
  return CONTINUE;
}

function reasonOf(check: IssuedCertificateCheck | undefined): string {
  return check?.kind === 'bad' ? check.reason : '';
}

function checkIssued(
  pem: string,
  context: KeeperContext,
  identity: DeviceIdentity,
  device: Device,
): IssuedCertificateCheck {
  const { deviceId, serialNumber } = device;
  const expected = { publicKey: createPublicKey(identity.privateKey), serialNumber, deviceId };
  return checkIssuedCertificate(pem, expected, context.clock());
}
