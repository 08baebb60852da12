import type { NewEndpoint, Endpoint as Presented } from '../contract/endpoints/endpoint-shapes.ts';
import { newId } from '../kernel/ids.ts';
import { Refused, refused } from '../kernel/refusal.ts';
import { askedFor, type Change, findUnanswered } from '../platform/database/audit.ts';
import type { Transaction } from '../platform/database/database.ts';
import { INSTALLATION_ID } from '../platform/events/feed.ts';
import { auditOf, WRONG } from './change-endpoint.ts';
import { defaultKinds, defaultTypes, isToConfirm, MAIL_BATCH, settingFaults } from './check-settings.ts';
import { isMail, type Owner } from './core/endpoint.ts';
import type { EndpointContext } from './endpoint-context.ts';
import { countEndpoints, findNewestNumber, findVendorsOfBiller, insertEndpoint } from './endpoint-store.ts';
import { presentEndpoint } from './present-endpoint.ts';
import { encryptFor, newSecret } from './secrets.ts';

export const MOST_PER_TENANT = 20;

/** From now on it is told of everything new. The secret is answered this once: the same again after a 503 is the same endpoint with another. */
export async function createEndpoint(
  tx: Transaction,
  context: EndpointContext,
  given: Owner,
  body: NewEndpoint,
  actor: string,
): Promise<Change<Presented & { readonly Secret: string | null }> | Refused> {
  const { masterKeys, clock } = context;
  const { Address, Header } = body;
  const owner = await withVendor(tx, given);
  if (owner instanceof Refused) return owner;
  const errors = settingFaults(body, Address, owner, context);
  if (errors.length > 0) return refused({ ...WRONG, errors });
  const tenantId = owner.taxpayerId ?? owner.vendorId ?? INSTALLATION_ID;
  const newest = await findNewestNumber(tx, owner);
  if (newest === undefined) {
    const detail =
      owner.vendorId === null ? 'There is no taxpayer with this TaxpayerId.' : 'There is no vendor with this VendorId.';
    return refused({ code: 'NotFound', detail });
  }
  const asked = askedFor(actor, { ...owner, ...body, Secret: null, Header: Header?.Name ?? null });
  const unseenId = await findUnanswered(tx, asked);
  const ids = { endpointId: unseenId ?? newId(), tenantId };
  const Secret = isMail(Address) ? null : (body.Secret ?? newSecret());
  const encrypted = async (which: 'secret' | 'header', text: string | undefined | null) =>
    text ? await encryptFor(tx, masterKeys, ids, which, text) : null;
  const secret = await encrypted('secret', Secret);
  if ((await countEndpoints(tx, tenantId, owner.billerCode)) >= MOST_PER_TENANT && unseenId === undefined) {
    const detail = `There are ${MOST_PER_TENANT} endpoints already, which is the maximum: delete one that is no longer used.`;
    return refused({ code: 'InvalidRequest', detail });
  }
  const endpoint = await insertEndpoint(tx, {
    ...ids,
    ...owner,
    address: Address,
    description: body.Description ?? '',
    eventTypes: body.EventTypes ?? defaultTypes(owner, Address),
    alertKinds: body.AlertKinds ?? defaultKinds(owner, Address, context),
    state: isToConfirm(Address, context) ? 'Unconfirmed' : 'Active',
    batchSize: body.BatchSize ?? (isMail(Address) ? MAIL_BATCH : 1),
    maxPerSecond: body.MaxPerSecond ?? null,
    isHeldOnRefusal: body.HoldOnRefusal ?? false,
    headerName: Header?.Name ?? null,
    headerValue: await encrypted('header', Header?.Value),
    secret,
    createdAt: clock(),
    cursor: newest,
  });
  const after = presentEndpoint(endpoint, context);
  return { ...auditOf('endpoint.created', endpoint), after, answer: { ...after, Secret }, asked };
}

/** A biller is paid through vendors, and its payments are in their feeds: which one is said where there are several. */
async function withVendor(tx: Transaction, owner: Owner): Promise<Owner | Refused> {
  if (owner.billerCode === null) return owner;
  const [vendor, ...others] = await findVendorsOfBiller(tx, owner);
  if (vendor === undefined) {
    return refused({ code: 'NotFound', detail: 'No such vendor sees a biller with this BillerCode.' });
  }
  if (others.length === 0) return { ...owner, vendorId: vendor.vendorId };
  const names = [vendor, ...others].map(({ name, vendorId }) => `${vendorId} (${name})`);
  const Message = `say through which vendor the payments come: ${names.join(', ')}`;
  return refused({ ...WRONG, errors: [{ Field: 'VendorId', Code: 'Required', Message }] });
}
