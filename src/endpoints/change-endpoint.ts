import { isDeepStrictEqual } from 'node:util';
import type { EndpointChange, Endpoint as Presented } from '../contract/endpoints/endpoint-shapes.ts';
import { type Refusal, Refused, refused } from '../kernel/refusal.ts';
import type { Change } from '../platform/database/audit.ts';
import type { Transaction } from '../platform/database/database.ts';
import { type AddressRules, isToConfirm, settingFaults } from './check-settings.ts';
import { type Endpoint, isMail } from './core/endpoint.ts';
import { resumed } from './core/policy.ts';
import { clearFailing, settlePaused } from './endpoint-alerts.ts';
import type { EndpointContext } from './endpoint-context.ts';
import { deleteEndpoint, type ListedEndpoint, lockEndpoint, updateEndpoint } from './endpoint-store.ts';
import { presentEndpoint } from './present-endpoint.ts';
import { encryptFor, newSecret } from './secrets.ts';

export const NO_ENDPOINT: Refusal = { code: 'NotFound', detail: 'There is no endpoint with this id.' };
export const WRONG = { code: 'InvalidRequest', detail: 'The endpoint has errors.' } as const;

/** Somebody reads what a mail endpoint sends: a tenant's token may see and delete it, and have nothing sent. */
export function usable(found: ListedEndpoint | undefined, { caller }: AddressRules): ListedEndpoint | Refused {
  if (found === undefined) return refused(NO_ENDPOINT);
  const detail = 'Mail is set up in the console: ask your owner or operator, or delete the endpoint.';
  return isMail(found.address) && caller === 'token' ? refused({ code: 'Forbidden', detail }) : found;
}

/** The same, and it may be sent events; an operator answers for the address. */
export function confirmed(found: ListedEndpoint | undefined, rules: AddressRules): ListedEndpoint | Refused {
  const endpoint = usable(found, rules);
  if (endpoint instanceof Refused || endpoint.state !== 'Unconfirmed' || rules.caller === 'operator') return endpoint;
  return refused({ code: 'Forbidden', detail: UNCONFIRMED });
}

const UNCONFIRMED =
  'The owner of this address has not confirmed it: they open the link that was mailed to them. A test sends the link again.';

type Changed<Answer> = Promise<Change<Answer> | Refused>;

/** Changes the fields that are given, and no others. */
export async function changeEndpoint(
  tx: Transaction,
  context: EndpointContext,
  endpointId: string,
  change: EndpointChange,
): Changed<Presented> {
  const stored = usable(await lockEndpoint(tx, endpointId, context.scope), context);
  if (stored instanceof Refused) return stored;
  const address = change.Address ?? stored.address;
  const errors = settingFaults(change, address, stored, context);
  if (isMail(address) !== isMail(stored.address)) {
    const Message = 'an endpoint stays one of mail or of the web: create another one';
    errors.push({ Field: 'Address', Code: 'AddressRefused', Message });
  }
  const keepsHeader = change.Header === undefined && stored.headerName !== null;
  if (errors.length === 0 && keepsHeader && isElsewhere(address, stored)) {
    const Message = 'is not sent to another place than the one that it was given for: give it again, or null';
    errors.push({ Field: 'Header', Code: 'Required', Message });
  }
  if (errors.length > 0) return refused({ ...WRONG, errors });
  const applied = await applyChange(tx, context, stored, change);
  const isOther = address !== stored.address && isToConfirm(address, context);
  const changed = isOther ? { ...applied, ...TO_CONFIRM } : applied;
  if (changed.attempts < stored.attempts) await clearFailing(tx, stored);
  const written = await write(tx, context, 'endpoint.changed', stored, changed);
  if (isOther) await settlePaused(tx, stored);
  return written;
}

const TO_CONFIRM = { state: 'Unconfirmed', pauseReason: null, pausedAt: null } as const;

function isElsewhere(address: string, stored: Endpoint): boolean {
  return new URL(address).origin !== new URL(stored.address).origin;
}

async function applyChange(
  tx: Transaction,
  { masterKeys, clock }: EndpointContext,
  stored: ListedEndpoint,
  change: EndpointChange,
): Promise<Endpoint> {
  const { Header, MaxPerSecond, EventTypes = stored.eventTypes, AlertKinds = stored.alertKinds } = change;
  const isOtherBatch = !isSame(EventTypes, stored.eventTypes) || !isSame(AlertKinds, stored.alertKinds);
  const isOtherHeader = Header === null ? stored.headerName !== null : Header !== undefined;
  const isOtherReceiver = isOtherHeader || (change.Address ?? stored.address) !== stored.address;
  return {
    ...stored,
    address: change.Address ?? stored.address,
    description: change.Description ?? stored.description,
    eventTypes: EventTypes,
    alertKinds: AlertKinds,
    batchSize: change.BatchSize ?? stored.batchSize,
    maxPerSecond: MaxPerSecond === undefined ? stored.maxPerSecond : MaxPerSecond,
    isHeldOnRefusal: change.HoldOnRefusal ?? stored.isHeldOnRefusal,
    ...(Header === undefined
      ? {}
      : {
          headerName: Header?.Name ?? null,
          headerValue: Header ? await encryptFor(tx, masterKeys, stored, 'header', Header.Value) : null,
        }),
    ...(isOtherBatch ? { batchLast: null } : {}),
    ...(isOtherBatch || isOtherReceiver ? { attempts: 0, refusals: 0, nextAttemptAt: clock() } : {}),
  };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return isDeepStrictEqual(one.toSorted(), other.toSorted());
}

/** Both secrets sign until the overlap is over. The new one is answered this once. */
export async function rotateSecret(
  tx: Transaction,
  context: EndpointContext,
  endpointId: string,
  { Secret = newSecret(), Overlap = 86_400 }: { readonly Secret?: string; readonly Overlap?: number },
): Changed<Presented & { readonly Secret: string }> {
  const stored = usable(await lockEndpoint(tx, endpointId, context.scope), context);
  if (stored instanceof Refused) return stored;
  const errors = settingFaults({ Secret }, stored.address, stored, context);
  if (errors.length > 0) return refused({ ...WRONG, errors });
  const until = Overlap === 0 ? null : new Date(context.clock().getTime() + Overlap * 1000);
  const rotated = {
    ...stored,
    secret: await encryptFor(tx, context.masterKeys, stored, 'secret', Secret),
    oldSecret: until === null ? null : stored.secret,
    oldSecretUntil: until,
  };
  const change = await write(tx, context, 'endpoint.secret_rotated', stored, rotated);
  return { ...change, answer: { ...change.answer, Secret } };
}

/** Active, from where it stopped or after a number. Of one that is active it is a replay. */
export async function resumeEndpoint(
  tx: Transaction,
  context: EndpointContext,
  endpointId: string,
  after: bigint | undefined,
): Changed<Presented> {
  const stored = confirmed(await lockEndpoint(tx, endpointId, context.scope), context);
  if (stored instanceof Refused) return stored;
  const change = await write(tx, context, 'endpoint.resumed', stored, resumed(stored, context.clock(), after));
  await clearFailing(tx, stored);
  await settlePaused(tx, stored);
  return change;
}

export async function removeEndpoint(
  tx: Transaction,
  context: EndpointContext,
  endpointId: string,
): Changed<Presented> {
  const stored = await lockEndpoint(tx, endpointId, context.scope);
  if (stored === undefined) return refused(NO_ENDPOINT);
  await deleteEndpoint(tx, endpointId);
  await clearFailing(tx, stored);
  await settlePaused(tx, stored);
  const before = presentEndpoint(stored, context);
  return { ...auditOf('endpoint.deleted', stored), before, answer: before };
}

async function write(
  tx: Transaction,
  context: EndpointContext,
  action: string,
  stored: ListedEndpoint,
  changed: Endpoint,
): Promise<Change<Presented>> {
  // Nothing that is being sent depends on the description.
  const isDescribed = isDeepStrictEqual({ ...changed, description: stored.description }, stored);
  const written = await updateEndpoint(tx, { ...changed, revision: stored.revision + (isDescribed ? 0 : 1) });
  const after = presentEndpoint(written, context);
  return { ...auditOf(action, stored), before: presentEndpoint(stored, context), after, answer: after };
}

/** Where an entry of the audit log belongs. */
export function auditOf(action: string, { endpointId, taxpayerId }: Endpoint) {
  return { action, taxpayerId: taxpayerId ?? undefined, subject: `endpoint ${endpointId}` };
}
