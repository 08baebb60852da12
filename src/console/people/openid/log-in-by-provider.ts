import { newId } from '../../../kernel/ids.ts';
import { type Refusal, Refused, refused } from '../../../kernel/refusal.ts';
import { recordAudit } from '../../../platform/database/audit.ts';
import { inTransaction, type Transaction } from '../../../platform/database/database.ts';
import type { OpenIdSettings } from '../../../platform/setting-values.ts';
import { auditOf } from '../add-person.ts';
import { readGrants } from '../core/grants.ts';
import type { Standing } from '../core/tenant.ts';
import { joinByInvitation, LOG_IN_FIRST, NO_LINK, OTHER_ADDRESS } from '../join-by-invitation.ts';
import { type LoggedIn, type LogInSender, startSession } from '../log-in.ts';
import { findLink, takeLink } from '../mailed-link-store.ts';
import { findTenantName, listMemberships } from '../membership-store.ts';
import { hashPassword, newOneTimePassword } from '../passwords.ts';
import type { SessionContext } from '../session-routes.ts';
import { findByEmail, insertPerson, type PersonRecord } from '../store.ts';
import { findByIdentity, insertIdentity, replaceGrants } from './identity-store.ts';
import type { ProviderIdentity } from './provider.ts';

const unknown = (name: string): Refusal => ({
  code: 'Forbidden',
  detail: `${name} knows you, but no account here is linked with you. Open the link of your invitation and go on with ${name} there, or log in with your password and link your account under Settings.`,
});
const NOTHING_HERE: Refusal = {
  code: 'Forbidden',
  detail: 'Your account is disabled, or you belong to nobody here any more. Ask who let you in.',
};

/** The provider stands for the password, and for nothing else: who may do what is decided here, and a second factor is asked for as ever. */
export async function logInByProvider(
  context: Pick<SessionContext, 'pool' | 'clock'>,
  from: LogInSender,
  { issuer, name }: OpenIdSettings,
  { subject, roles }: ProviderIdentity,
  invitation?: string,
): Promise<LoggedIn | Refused> {
  const { pool, clock } = context;
  const now = clock();
  const identity = { issuer, subject };
  // Only for who comes with an invitation: it is expensive. Nobody knows it; a mail leads to a better one.
  const passwordHash = invitation === undefined ? '' : await hashPassword(newOneTimePassword());
  const found = await inTransaction(pool, async (tx): Promise<PersonRecord | Refused> => {
    const known = await findByIdentity(tx, identity);
    if (invitation === undefined) return known ?? refused(unknown(name));
    const link = await findLink(tx, invitation, now);
    if (link?.invitation === undefined) return refused(NO_LINK);
    const { email } = link;
    if (known !== undefined && known.email !== email) return refused(OTHER_ADDRESS);
    // That somebody has the same address at the provider proves nothing here.
    if (known === undefined && (await findByEmail(tx, email)) !== undefined) return refused(LOG_IN_FIRST);
    if (!(await takeLink(tx, link.linkId))) return refused(NO_LINK);
    const newPerson = { personId: newId(), email, name: link.invitation.name, passwordHash, mustChangePassword: false };
    const person = known ?? (await insertPerson(tx, newPerson));
    if (person === undefined) return refused(LOG_IN_FIRST);
    if (known === undefined && !(await linkTo(tx, person, identity, now)))
      throw new Error('an identity was linked with two accounts at the same moment');
    await joinByInvitation(tx, person.personId, link);
    return person;
  });
  if (found instanceof Refused) return found;
  if (found.disabledAt !== null) return refused(NOTHING_HERE);
  await inTransaction(pool, (tx) => applyGrants(tx, found, issuer, readGrants(roles)));
  const [first] = await listMemberships(pool, found.personId, now, issuer);
  if (first === undefined) return refused(NOTHING_HERE);
  return startSession(context, from, { ...found, first, issuer });
}

/** False when the person or the identity is linked already. */
export async function linkTo(
  tx: Transaction,
  { personId, email }: Pick<PersonRecord, 'personId' | 'email'>,
  identity: { readonly issuer: string; readonly subject: string },
  at: Date,
): Promise<boolean> {
  const isNew = await insertIdentity(tx, personId, identity, at);
  if (isNew)
    await recordAudit(tx, { actor: email, action: 'identity.linked', subject: `person ${email}`, after: identity });
  return isNew;
}

async function applyGrants(
  tx: Transaction,
  { personId, email }: PersonRecord,
  issuer: string,
  claimed: readonly Standing[],
): Promise<void> {
  const grants = [];
  for (const grant of claimed) if ((await findTenantName(tx, grant.tenant)) !== undefined) grants.push(grant);
  const { granted, taken } = await replaceGrants(tx, personId, issuer, grants);
  const record = (action: string, { tenant, role }: Standing) =>
    recordAudit(tx, { actor: issuer, action, ...auditOf(tenant, email), after: { Role: role } });
  for (const one of taken) await record('membership.taken', one);
  for (const one of granted) await record('membership.granted', one);
}
