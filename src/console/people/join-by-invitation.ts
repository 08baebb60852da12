import type { Refusal } from '../../kernel/refusal.ts';
import { recordAudit } from '../../platform/database/audit.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { auditOf } from './add-person.ts';
import type { MailedLink } from './mailed-link-store.ts';
import { insertMembership } from './membership-store.ts';

export const NO_LINK: Refusal = {
  code: 'NotFound',
  detail: 'This link was used already, has expired or was replaced by a newer one. Ask for another.',
};
export const OTHER_ADDRESS: Refusal = {
  code: 'Forbidden',
  detail: 'This invitation is for another address than yours: log out, then log in with the one that got the mail.',
};
export const LOG_IN_FIRST: Refusal = {
  code: 'Forbidden',
  detail: 'There is an account with this address: log in with it, then open the link again.',
};

/** The link has been taken: of two who use it at the same moment one joins. */
export async function joinByInvitation(tx: Transaction, personId: string, link: MailedLink): Promise<void> {
  const { email, invitation } = link;
  if (invitation === undefined) return;
  const { tenant, role, membershipExpiresAt: expiresAt, invitedBy } = invitation;
  // Who is there already keeps the role they have: an invitation only lets in.
  if (!(await insertMembership(tx, personId, tenant, { role, expiresAt }))) return;
  const after = { Email: email, Role: role, InvitedBy: invitedBy };
  await recordAudit(tx, { actor: email, action: 'invitation.accepted', ...auditOf(tenant, email), after });
}
