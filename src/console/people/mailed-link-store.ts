import { createHash, randomBytes } from 'node:crypto';
import type { Role, TenantKind } from '../../contract/shared/values.ts';
import { newId } from '../../kernel/ids.ts';
import type { Queryable, Transaction } from '../../platform/database/database.ts';
import { insert } from '../../platform/database/rows.ts';
import type { Tenant } from './core/tenant.ts';

export interface InvitationRecord {
  readonly tenant: Tenant;
  readonly role: Role;
  readonly name: string;
  readonly membershipExpiresAt: Date | null;
  readonly invitedBy: string;
}

export interface MailedLink {
  readonly linkId: string;
  readonly email: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Undefined: it leads to a new password. */
  readonly invitation: InvitationRecord | undefined;
}

interface LinkRow extends Omit<MailedLink, 'invitation'> {
  readonly kind: TenantKind | null;
  readonly id: string | null;
  readonly role: Role | null;
  readonly name: string | null;
  readonly membershipExpiresAt: Date | null;
  readonly invitedBy: string | null;
}

const LINK = `link_id as "linkId", email, created_at as "createdAt", expires_at as "expiresAt", tenant_kind as kind,
  tenant_id as id, role, name, membership_expires_at as "membershipExpiresAt", invited_by as "invitedBy"`;

const hashToken = (token: string) => createHash('sha256').update(token).digest();

function linkOf({ kind, id, role, name, membershipExpiresAt, invitedBy, ...link }: LinkRow): MailedLink {
  if (kind === null || id === null || role === null || name === null || invitedBy === null) {
    return { ...link, invitation: undefined };
  }
  return { ...link, invitation: { tenant: { kind, id }, role, name, membershipExpiresAt, invitedBy } };
}

/** Takes the place of what was mailed to the address for the same before. */
export async function insertLink(
  tx: Transaction,
  link: Omit<MailedLink, 'linkId'>,
): Promise<{ readonly token: string; readonly linkId: string }> {
  const { email, createdAt, expiresAt, invitation } = link;
  const { tenant, ...terms } = invitation ?? {};
  const { kind = null, id = null } = tenant ?? {};
  await tx.query(
    'delete from mailed_links where expires_at <= $4 or (email = $1 and tenant_kind is not distinct from $2 and tenant_id is not distinct from $3)',
    [email, kind, id, createdAt],
  );
  const [token, linkId] = [randomBytes(32).toString('base64url'), newId()];
  const mailed = { linkId, linkHash: hashToken(token), email, createdAt, expiresAt };
  await insert(tx, 'mailed_links', { ...mailed, tenantKind: kind, tenantId: id, ...terms });
  return { token, linkId };
}

/** Newest first. */
export async function listInvitations(
  db: Queryable,
  { kind, id }: Tenant,
  { before, now }: { readonly before: string | undefined; readonly now: Date },
  limit: number,
): Promise<MailedLink[]> {
  const { rows } = await db.query<LinkRow>(
    `select ${LINK} from mailed_links
      where tenant_kind = $1 and tenant_id = $2 and expires_at > $3 and ($4::uuid is null or link_id < $4)
      order by link_id desc limit $5`,
    [kind, id, now, before, limit],
  );
  return rows.map(linkOf);
}

/** Whether somebody with this address belongs to the tenant, or has an invitation that can be accepted. */
export async function findExpected(db: Queryable, { kind, id }: Tenant, email: string, now: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from mailed_links where email = $3 and tenant_kind = $1 and tenant_id = $2 and expires_at > $4
     union all
     select from memberships m join people p using (person_id) where p.email = $3 and m.tenant_kind = $1 and m.tenant_id = $2`,
    [kind, id, email, now],
  );
  return rowCount !== 0;
}

export async function findLink(db: Queryable, token: string, now: Date): Promise<MailedLink | undefined> {
  const { rows } = await db.query<LinkRow>(
    `select ${LINK} from mailed_links where link_hash = $1 and expires_at > $2`,
    [hashToken(token), now],
  );
  return rows[0] && linkOf(rows[0]);
}

/** So that nobody gets a mail for every request that anybody makes. */
export async function wasResetSince(db: Queryable, email: string, since: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from mailed_links where email = $1 and tenant_kind is null and created_at > $2',
    [email, since],
  );
  return rowCount !== 0;
}

/** Whether it was there: of two who use it at the same moment one does. */
export async function takeLink(tx: Transaction, linkId: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from mailed_links where link_id = $1', [linkId]);
  return rowCount === 1;
}

export async function withdrawInvitation(
  tx: Transaction,
  linkId: string,
  { kind, id }: Tenant,
): Promise<MailedLink | undefined> {
  const { rows } = await tx.query<LinkRow>(
    `delete from mailed_links where link_id = $1 and tenant_kind = $2 and tenant_id = $3 returning ${LINK}`,
    [linkId, kind, id],
  );
  return rows[0] && linkOf(rows[0]);
}
