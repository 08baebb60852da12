import type { Pool } from 'pg';
import { type Refusal, type Refused, refused } from '../kernel/refusal.ts';
import { recordAudit } from '../platform/database/audit.ts';
import { inTransaction, type Transaction } from '../platform/database/database.ts';
import type { TenantEvent } from '../platform/events/feed.ts';
import { listAttempts } from './attempt-store.ts';
import { auditOf } from './change-endpoint.ts';
import type { Endpoint } from './core/endpoint.ts';
import { resumed } from './core/policy.ts';
import type { EndpointContext } from './endpoint-context.ts';
import { lockEndpoint, updateEndpoint } from './endpoint-store.ts';
import { encryptFor, openConfirmation } from './secrets.ts';

/**
 * An address that one of a tenant's people gives is sent one thing: a link. It says which endpoint and address it is for and until when,
 * sealed with the tenant's key, so there is nothing to keep, and nobody but the owner of the address has it.
 */
const LINK_MS = 7 * 24 * 3_600_000;
/** At least this long between two links, so that nobody can fill somebody else's mailbox. */
const APART_MS = 5 * 60_000;

const NO_LINK: Refusal = {
  code: 'NotFound',
  detail: 'This link was used already, has expired, or the address was taken off the list: have another one sent.',
};

/** The one event that an address is sent before it is confirmed. */
export async function confirmationEvent(
  { pool, masterKeys, clock }: EndpointContext & { readonly pool: Pool },
  endpoint: Endpoint,
): Promise<TenantEvent | Refused> {
  const now = clock();
  const [last] = await listAttempts(pool, endpoint.endpointId, undefined, 1);
  const waitMs = last === undefined ? 0 : Date.parse(last.StartedAt) + APART_MS - now.getTime();
  if (last?.Outcome === 'Taken' && waitMs > 0) {
    const detail = 'The link was mailed less than five minutes ago: look for it, also among unwanted mail.';
    return refused({ code: 'RateLimited', detail, retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }
  const link = JSON.stringify({ address: endpoint.address, until: now.getTime() + LINK_MS });
  const sealed = await inTransaction(pool, (tx) => encryptFor(tx, masterKeys, endpoint, 'confirmation', link));
  const Token = `${endpoint.endpointId}.${sealed.toString('base64url')}`;
  const data = JSON.stringify({ Token, Description: endpoint.description });
  return { number: 0n, type: 'endpoint.confirmation', at: now, data };
}

/** From now on it is sent what happens; nothing of what was before. */
export async function confirmAddress(
  tx: Transaction,
  { masterKeys, clock }: Pick<EndpointContext, 'masterKeys' | 'clock'>,
  token: string,
): Promise<{ readonly Address: string } | Refused> {
  const [, endpointId, sealed = ''] = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]+)$/.exec(token) ?? [];
  const stored = endpointId === undefined ? undefined : await lockEndpoint(tx, endpointId, undefined);
  if (stored?.state !== 'Unconfirmed') return refused(NO_LINK);
  const opened = await openConfirmation(tx, masterKeys, stored, Buffer.from(sealed, 'base64url'));
  const { address, until } = JSON.parse(opened ?? '{}') as { readonly address?: string; readonly until?: number };
  if (address !== stored.address || until === undefined || until <= clock().getTime()) return refused(NO_LINK);
  await updateEndpoint(tx, { ...resumed(stored, clock(), stored.newestNumber), revision: stored.revision + 1 });
  const Address = address.replace('mailto:', '');
  await recordAudit(tx, { actor: Address, ...auditOf('endpoint.confirmed', stored) });
  return { Address };
}
