import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Pool } from 'pg';
import {
  type ConfigResponse,
  checkIssuedCertificate,
  createCertificateRequest,
  type Gateway,
  type GatewayAnswer,
  type StatusResponse,
} from '../../fdms/index.ts';
import { wallOfInstant } from '../../kernel/zone.ts';
import { settle } from '../../platform/alerts/store.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { confirmRead, epochOf } from '../../platform/database/barrier.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { loadDataKey } from '../../platform/secrets/data-keys.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { decrypt, encrypt } from '../../platform/secrets/secrets.ts';
import { identityDifference } from '../core/identity-difference.ts';
import { keepConfiguration, storeCertificate } from '../devices/configuration-store.ts';
import { deviceKeyContext } from '../devices/device-registry.ts';
import { takeBack } from '../devices/give-up-device.ts';
import { bumpRevision, type DeviceOptions } from '../devices/store.ts';
import { createLane, wakeLane } from '../lanes/store.ts';
import { generateDeviceKey, type KeyAlgorithm, loadPrivateKey } from '../signing/device-key.ts';
import {
  deletePending,
  findNotesAbove,
  findPending,
  findTin,
  insertPending,
  insertRegisteredHead,
  lockPending,
  type PendingDevice,
  updatePending,
} from './store.ts';

export interface RegistrationRequest extends DeviceOptions {
  readonly taxpayerId: string;
  readonly deviceId: number;
  readonly serialNumber: string;
  readonly activationKey: string;
  readonly keyAlgorithm: KeyAlgorithm;
  /** Raises what the authority reports as the last number, which it is known to under-report. */
  readonly lastGlobalCounter: number | undefined;
  /** Replaces the certificate of a registered device although the authority accepts it, as far as is known here. */
  readonly isAgain: boolean;
}

export type RegistrationOutcome =
  /** Again: it was registered here before and has another certificate now. */
  | { readonly kind: 'registered'; readonly isAgain: boolean }
  /** Of the same taxpayer, with a certificate that nothing is known against; or of another one. */
  | { readonly kind: 'taken'; readonly isOwn: boolean }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Where its numbers begin is not clear; an operator says so. */
  | { readonly kind: 'unclear'; readonly detail: string }
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface RegistrationContext {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly gateway: Gateway;
  readonly clock: Clock;
}

/**
 * Registers a device with the authority. An activation key works once, so the key pair is stored before the certificate is
 * asked for, and the certificate before anything else is done: after a crash anywhere, the same call goes on where it
 * stood. A device with history is taken over with its numbers; one with a day open elsewhere has to be closed there first.
 * One that is registered here and whose certificate ran out, or is not accepted any more, gets another for the same key: its chain,
 * its open day, what waits to be submitted and its settings stay good.
 */
export async function registerWithAuthority(
  context: RegistrationContext,
  request: RegistrationRequest,
): Promise<RegistrationOutcome> {
  const objection = await checkOwner(context, request);
  if (objection !== undefined) return objection;
  const epoch = epochOf(context.pool);
  const pending = await prepareKey(context, request);
  if ('kind' in pending) return pending;
  const privateKey = await openKey(context, pending);
  // A key that was read, and not made here, may be lost with a server whose standby never had it.
  await confirmRead(context.pool, epoch);
  // With another certificate a device that was registered before is done.
  const usable = pending.isRegistered ? null : pending.certificatePem;
  const certificate = usable ?? (await askForCertificate(context, request, privateKey, pending.isRegistered));
  if (typeof certificate !== 'string') return certificate;
  if (pending.isRegistered) return { kind: 'registered', isAgain: true };

  const identity = { deviceId: request.deviceId, certificatePem: certificate, privateKey };
  const configuration = await context.gateway.config(identity);
  if (configuration.kind !== 'answered') return failure(configuration);
  const difference = await strangerReason(context, request, configuration.value);
  if (difference !== undefined) return { kind: 'refused', reason: difference };
  // Asked first: in Offline mode the status is refused with words that explain nothing.
  if (configuration.value.deviceOperatingMode === 'Offline') return { kind: 'refused', reason: OFFLINE };
  const status = await context.gateway.status(identity);
  if (status.kind !== 'answered') return failure(status);
  const reason = reasonAgainst(status.value);
  if (reason !== undefined) return { kind: 'refused', reason };
  const detail = await doubtAbout(context, request, status.value.lastReceiptGlobalNo ?? 0);
  if (detail !== undefined) return { kind: 'unclear', detail };
  await complete(context, request, configuration.value, status.value);
  return { kind: 'registered', isAgain: false };
}

/**
 * Whose device it is, asked while nothing is stored and no key is spent: with a stranger's device would come the stranger's VAT
 * registration. What else is wrong the authority says when it is asked for a certificate.
 */
async function checkOwner(
  { pool, gateway }: RegistrationContext,
  { taxpayerId, deviceId, activationKey, serialNumber }: RegistrationRequest,
): Promise<RegistrationOutcome | undefined> {
  const pending = await findPending(pool, deviceId);
  if (pending?.taxpayerId === taxpayerId) return undefined;
  const owner = await gateway.verifyTaxpayer(deviceId, { activationKey, deviceSerialNo: serialNumber });
  if (owner.kind === 'unavailable') return failure(owner);
  const tin = await findTin(pool, taxpayerId);
  if (owner.kind !== 'answered') return undefined;
  if (owner.value.taxPayerTIN === tin) {
    // Somebody else has begun with it, without the right key: only its own taxpayer can hold a device's number.
    if (pending?.certificatePem === null)
      await inTransaction(pool, (tx) => deletePending(tx, pending.taxpayerId, deviceId));
    return undefined;
  }
  const { taxPayerName, taxPayerTIN } = owner.value;
  return {
    kind: 'refused',
    reason: `device ${deviceId} belongs to ${taxPayerName}, TIN ${taxPayerTIN}, and this taxpayer has TIN ${tin}: register it for the taxpayer with that TIN`,
  };
}

/**
 * The configuration has the last word on whose device it is: VerifyTaxpayerInformation may have been refused, or have said something else.
 * A stranger's is taken out again, so that its own taxpayer can register it.
 */
async function strangerReason(
  { pool }: RegistrationContext,
  { taxpayerId, deviceId, serialNumber }: RegistrationRequest,
  configuration: ConfigResponse,
): Promise<string | undefined> {
  const difference = identityDifference(configuration, { tin: await findTin(pool, taxpayerId), serialNumber });
  if (difference === undefined) return undefined;
  await inTransaction(pool, (tx) => deletePending(tx, taxpayerId, deviceId));
  return `device ${deviceId} is another one: ${difference}. Nothing of it was kept, but its activation key is spent: ask the authority for a fresh one`;
}

async function prepareKey(
  context: RegistrationContext,
  request: RegistrationRequest,
): Promise<PendingDevice | Extract<RegistrationOutcome, { kind: 'taken' }>> {
  const { taxpayerId, deviceId } = request;
  const pair = await generateDeviceKey(request.keyAlgorithm);
  return inTransaction(context.pool, async (tx) => {
    const known = await lockPending(tx, deviceId);
    if (known !== undefined) {
      if (known.taxpayerId !== taxpayerId) return { kind: 'taken', isOwn: false };
      if (known.isRegistered) {
        const isReplaced = request.isAgain || known.isRefused || isExpired(known, context.clock());
        return isReplaced ? known : { kind: 'taken', isOwn: true };
      }
      // The key stays; everything else may have been wrong the first time.
      await updatePending(tx, request);
      return known;
    }
    const dataKey = await loadDataKey(tx, context.masterKeys, taxpayerId);
    const privateKeyEncrypted = encrypt(dataKey, pair.privateKey, deviceKeyContext(deviceId, 1));
    const { algorithm, publicKeyPem } = pair;
    await insertPending(tx, request, { algorithm, publicKeyPem, privateKeyEncrypted });
    const withoutCertificate = { certificatePem: null, certificateValidTill: null };
    return { taxpayerId, deviceId, privateKeyEncrypted, ...withoutCertificate, isRegistered: false, isRefused: false };
  });
}

function isExpired({ certificateValidTill }: PendingDevice, now: Date): boolean {
  return certificateValidTill !== null && certificateValidTill <= now;
}

async function openKey(context: RegistrationContext, pending: PendingDevice): Promise<KeyObject> {
  const dataKey = await loadDataKey(context.pool, context.masterKeys, pending.taxpayerId);
  return loadPrivateKey(decrypt(dataKey, pending.privateKeyEncrypted, deviceKeyContext(pending.deviceId, 1)));
}

async function askForCertificate(
  context: RegistrationContext,
  request: RegistrationRequest,
  privateKey: KeyObject,
  isRegistered: boolean,
): Promise<string | RegistrationOutcome> {
  const { taxpayerId, deviceId, serialNumber, activationKey } = request;
  const certificateRequest = await createCertificateRequest(privateKey, serialNumber, deviceId);
  const answer = await context.gateway.registerDevice(deviceId, { activationKey, certificateRequest });
  if (answer.kind === 'refused' && answer.code === 'DEV02') {
    return { kind: 'refused', reason: `DEV02: ${answer.detail}. ${WHEN_KEY_IS_SPENT}` };
  }
  if (answer.kind !== 'answered') return failure(answer);
  const pem = answer.value.certificate;
  const expected = { publicKey: createPublicKey(privateKey), serialNumber, deviceId };
  const check = checkIssuedCertificate(pem, expected, context.clock());
  if (check.kind === 'bad')
    return { kind: 'refused', reason: `the certificate that was issued cannot be used: ${check.reason}` };
  await inTransaction(context.pool, async (tx) => {
    if (isRegistered) {
      // A lane before its head, as in the keeper.
      const lane = await wakeLane(tx, { taxpayerId, deviceId }, { pausedUntil: null });
      await bumpRevision(tx, { taxpayerId, deviceId });
      await takeBack(lane, { taxpayerId, deviceId }, context.clock());
      await settle(tx, 'CertificateExpires', { taxpayerId, deviceId });
    }
    await storeCertificate(tx, { taxpayerId, deviceId }, 1, { pem, validTill: check.facts.validTill });
  });
  return pem;
}

/** A certificate whose answer was lost cannot be requested again: the protocol has no way to. */
const WHEN_KEY_IS_SPENT =
  'Check the activation key; if an earlier attempt was cut off it is spent, so ask the authority for a fresh one and send that (the key pair of the device is kept)';
const OFFLINE = 'the device is in Offline mode: ask the authority to set it to Online';

function reasonAgainst(status: StatusResponse): string | undefined {
  if (status.fiscalDayStatus !== 'FiscalDayClosed') {
    return `day ${status.lastFiscalDayNo} of this device is open elsewhere (${status.fiscalDayStatus}): close it there first, then register again`;
  }
  return undefined;
}

/**
 * Notes that were sealed here for receipts of another system may name numbers above the one that the authority reports: either that is
 * too low, or the notes are wrong. A request with LastGlobalCounter has decided it.
 */
async function doubtAbout(
  { pool }: RegistrationContext,
  { taxpayerId, deviceId, lastGlobalCounter = -1 }: RegistrationRequest,
  reported: number,
): Promise<string | undefined> {
  if (lastGlobalCounter >= reported) return undefined;
  const notes = await findNotesAbove(pool, taxpayerId, deviceId, reported);
  const [highest] = notes;
  if (highest === undefined) return undefined;
  const names = notes.map((note) => `${note.reference} (number ${note.originalGlobalCounter})`).join(', ');
  return (
    `The authority reports ${reported} as the last number of device ${deviceId}, but notes sealed here name later ones as receipts of another system: ${names}. ` +
    `If those receipts exist, send LastGlobalCounter ${highest.originalGlobalCounter} or above; if the notes name wrong numbers, send LastGlobalCounter ${reported}, ` +
    'and the notes do not count against the receipts that get these numbers. The key and certificate of the device are kept.'
  );
}

async function complete(
  context: RegistrationContext,
  request: RegistrationRequest,
  configuration: ConfigResponse,
  status: StatusResponse,
): Promise<void> {
  const { taxpayerId, deviceId } = request;
  const globalCounter = Math.max(status.lastReceiptGlobalNo ?? 0, request.lastGlobalCounter ?? 0);
  await inTransaction(context.pool, async (tx) => {
    // The same request, sent twice: the other one was sooner.
    if ((await lockPending(tx, deviceId))?.isRegistered) return;
    const configurationVersion = await keepConfiguration(tx, { taxpayerId, deviceId }, configuration, context.clock());
    const fiscalDayNumber = status.lastFiscalDayNo ?? 0;
    // The authority does not say when the last receipt was dated; certainly not later than now. Ours must come after it.
    const lastWall = globalCounter === 0 ? undefined : wallOfInstant(request.zone, seconds(context.clock()));
    const head = { taxpayerId, deviceId, configurationVersion, fiscalDayNumber, globalCounter, lastWall };
    await insertRegisteredHead(tx, head);
    await createLane(tx, taxpayerId, deviceId, globalCounter);
  });
}

function failure(answer: Exclude<GatewayAnswer<unknown>, { kind: 'answered' }>): RegistrationOutcome {
  if (answer.kind === 'unavailable') return { kind: 'unavailable', reason: answer.reason };
  return { kind: 'refused', reason: `${answer.code ?? answer.status}: ${answer.detail}` };
}
