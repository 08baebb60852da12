import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as contract from '../../contract/console/person.ts';
import { type Refusal, Refused, refused } from '../../kernel/refusal.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import type { OpenIdSettings } from '../../platform/setting-values.ts';
import { addPerson, auditOf, presentPerson } from './add-person.ts';
import { clearAllAttempts, hashEmail } from './attempt-store.ts';
import { canonicalEmail } from './core/password-rules.ts';
import { readTenant, type Tenant } from './core/tenant.ts';
import { dateOf, emailErrors, termErrors, wrongPerson } from './core/terms.ts';
import { findTenantName, listMembers, lockMembers, removeMembership, updateMembership } from './membership-store.ts';
import { hashPassword, newOneTimePassword } from './passwords.ts';
import { principalOf } from './principal.ts';
import { endSessions } from './session-store.ts';
import { lockPerson, type MemberRecord, removePersonWithoutMembership, setPassword, updatePerson } from './store.ts';

const NO_PERSON: Refusal = { code: 'NotFound', detail: 'There is no person with this id.' };
const NO_TENANT: Refusal = { code: 'NotFound', detail: 'There is no such tenant.' };
const YOURSELF: Refusal = {
  code: 'InvalidRequest',
  detail: 'You cannot remove or disable yourself, or change your own role: ask another admin or owner.',
};
const LAST_OWNER: Refusal = {
  code: 'InvalidRequest',
  detail: 'This is the last owner, without whom nobody could let people in: make another one first.',
};

interface PersonContext extends Administration {
  readonly openId: OpenIdSettings | undefined;
}

/** Who may log in, for whom, and what they may do there. */
export function personRoutes(app: FastifyInstance, { pool, clock, guard, audited, openId }: PersonContext): void {
  route(app, guard, contract.listPeople, async ({ query: { Limit = DEFAULT_PAGE, Cursor, ...fields } }) => {
    const tenant = readTenant(fields);
    if (tenant instanceof Refused) return tenant;
    const people = await readPage(Limit, (limit) => listMembers(pool, tenant, Cursor, limit));
    return { People: people.rows.map(presentPerson), NextCursor: nextCursor(people, (last) => last.personId) };
  });

  route(app, guard, contract.addPerson, async ({ request, body }) => {
    const tenant = readTenant(body);
    if (tenant instanceof Refused) return tenant;
    const email = canonicalEmail(body.Email);
    const errors = [
      ...emailErrors(email),
      ...termErrors(tenant, { role: body.Role, expiresAt: body.ExpiresAt }, 'ExpiresAt', clock()),
    ];
    if (errors.length > 0) return wrongPerson(errors);
    if ((await findTenantName(pool, tenant)) === undefined) return refused(NO_TENANT);
    const password = newOneTimePassword();
    const added = await addPerson(pool, principalOf(request).actor, {
      email,
      name: body.Name,
      tenant,
      role: body.Role,
      expiresAt: dateOf(body.ExpiresAt),
      password,
      mustChangePassword: true,
    });
    if (added === undefined) {
      return wrongPerson([{ Field: 'Email', Code: 'Malformed', Message: `${email} belongs to it already` }]);
    }
    return { ...added.person, OneTimePassword: added.isKnown ? null : password };
  });

  /** By the provider that is in use. */
  const isGranted = ({ issuer }: MemberRecord) => issuer !== null && issuer === openId?.issuer;

  /** One of the tenant's people, beside all the others. */
  const member = async (tx: Transaction, tenant: Tenant, personId: string) => {
    const members = await lockMembers(tx, tenant);
    const stored = members.find((one) => one.personId === personId);
    const others = members.filter((one) => one !== stored);
    return stored && { stored, isLastOwner: isOwner(stored) && !others.some(isLasting) };
  };

  route(app, guard, contract.changePerson, ({ request, params, query, body }) =>
    audited(request, async (tx) => {
      const tenant = readTenant(query);
      if (tenant instanceof Refused) return tenant;
      const errors = termErrors(tenant, { role: body.Role, expiresAt: body.ExpiresAt }, 'ExpiresAt', clock());
      if (errors.length > 0) return wrongPerson(errors);
      const found = await member(tx, tenant, params.personId);
      if (found === undefined) return refused(NO_PERSON);
      const { stored, isLastOwner } = found;
      const { Name: name = stored.name, Role: role = stored.role, Disabled = stored.disabledAt !== null } = body;
      const expiresAt = body.ExpiresAt === undefined ? stored.expiresAt : dateOf(body.ExpiresAt);
      const disabledAt = Disabled ? (stored.disabledAt ?? clock()) : null;
      const changed = { ...stored, name, role, expiresAt, disabledAt };
      const areNewTerms = role !== stored.role || expiresAt?.getTime() !== stored.expiresAt?.getTime();
      if (isSelf(request, stored) && (areNewTerms || disabledAt !== null)) return refused(YOURSELF);
      if (areNewTerms && isGranted(stored)) return refused(GRANTED);
      const isOfPerson = body.Name !== undefined || body.Disabled !== undefined;
      if (isOfPerson && principalOf(request).tenant.kind !== 'installation') return refused(NOT_THEIRS);
      if (isLastOwner && !isLasting(changed)) return refused(LAST_OWNER);
      await lockPerson(tx, stored.personId);
      await updatePerson(tx, changed);
      await updateMembership(tx, stored.personId, tenant, changed);
      if (disabledAt !== null) await endSessions(tx, stored.personId);
      const after = presentPerson(changed);
      const audit = { ...auditOf(tenant, stored.email), before: presentPerson(stored) };
      return { action: 'person.changed', ...audit, after, answer: after };
    }),
  );

  route(app, guard, contract.resetPersonPassword, async ({ request, params }) => {
    const OneTimePassword = newOneTimePassword();
    const passwordHash = await hashPassword(OneTimePassword);
    return audited(request, async (tx) => {
      const stored = await lockPerson(tx, params.personId);
      if (stored === undefined) return refused(NO_PERSON);
      await setPassword(tx, stored.personId, passwordHash, true);
      await endSessions(tx, stored.personId);
      await clearAllAttempts(tx, hashEmail(stored.email));
      const subject = `person ${stored.email}`;
      return { action: 'person.password-reset', subject, answer: { Email: stored.email, OneTimePassword } };
    });
  });

  route(app, guard, contract.removePerson, ({ request, params, query }) =>
    audited(request, async (tx) => {
      const tenant = readTenant(query);
      if (tenant instanceof Refused) return tenant;
      const found = await member(tx, tenant, params.personId);
      if (found === undefined) return refused(NO_PERSON);
      const { stored, isLastOwner } = found;
      if (isLastOwner) return refused(LAST_OWNER);
      if (isGranted(stored)) return refused(GRANTED);
      if (tenant.kind === 'installation' && isSelf(request, stored)) return refused(YOURSELF);
      await removeMembership(tx, stored.personId, tenant);
      await removePersonWithoutMembership(tx, stored.personId);
      const before = presentPerson(stored);
      return { action: 'person.removed', ...auditOf(tenant, stored.email), before, answer: before };
    }),
  );
}

const GRANTED: Refusal = {
  code: 'InvalidRequest',
  detail:
    'The OpenID provider grants this, and gives it again at the next log-in: change it there, or have an admin disable the person.',
};
const NOT_THEIRS: Refusal = {
  code: 'Forbidden',
  detail: 'A name is changed, and a person disabled, by an admin of the installation: they may belong to others, too.',
};

/** By hand: what a claim grants, it may take away at any time. */
const isOwner = ({ role, issuer }: MemberRecord) => role === 'owner' && issuer === null;

/** An owner who can be relied on to be there tomorrow. */
function isLasting(member: MemberRecord): boolean {
  return isOwner(member) && member.expiresAt === null && member.disabledAt === null;
}

function isSelf(request: FastifyRequest, { personId }: MemberRecord): boolean {
  return principalOf(request).session?.personId === personId;
}
