import type { FastifyRequest } from 'fastify';
import type { Invitation } from '../../contract/console/invitation.ts';
import { Refused } from '../../kernel/refusal.ts';
import { auditOf } from './add-person.ts';
import { sendLinkMail } from './link-mail.ts';
import { type InvitationRecord, insertLink, type MailedLink } from './mailed-link-store.ts';
import { principalOf } from './principal.ts';
import type { SessionContext } from './session-routes.ts';

const INVITATION_MS = 7 * 24 * 3_600_000;

export interface Inviting extends Pick<SessionContext, 'clock' | 'audited' | 'log'> {
  readonly mail: NonNullable<SessionContext['mail']>;
}

type Wanted = Omit<InvitationRecord, 'invitedBy'> & { readonly tenantName: string; readonly email: string };

/** Lets somebody into a tenant who opens the link in a mail. */
export async function inviteByMail(
  { clock, audited, mail, log }: Inviting,
  request: FastifyRequest,
  { tenantName, email, ...terms }: Wanted,
): Promise<Invitation | Refused> {
  const createdAt = clock();
  const invitation = { ...terms, invitedBy: principalOf(request).name };
  const link = { email, createdAt, expiresAt: new Date(createdAt.getTime() + INVITATION_MS), invitation };
  const invited = await audited(request, async (tx) => {
    const { token, linkId } = await insertLink(tx, link);
    const after = presentInvitation({ ...link, linkId });
    return { action: 'person.invited', ...auditOf(terms.tenant, email), after, answer: { after, token } };
  });
  if (invited instanceof Refused) return invited;
  sendLinkMail(mail, log, {
    to: email,
    subject: `${invitation.invitedBy} invites you to ${tenantName} on Tillseal`,
    lines: [
      `${invitation.invitedBy} invites you to look after ${tenantName}, as ${terms.role}.`,
      `Accept within seven days:\n${request.server.publicUrl}/console/link#${invited.token}`,
      'The link works once and only for this address. If you do not know what this is about, do nothing.',
    ],
  });
  return invited.after;
}

export function presentInvitation({ linkId, email, createdAt, expiresAt, invitation }: MailedLink): Invitation {
  if (invitation === undefined) throw new Error('a way to a new password is no invitation');
  return {
    InvitationId: linkId,
    Email: email,
    Name: invitation.name,
    Role: invitation.role,
    MembershipExpiresAt: invitation.membershipExpiresAt?.toISOString() ?? null,
    InvitedBy: invitation.invitedBy,
    CreatedAt: createdAt.toISOString(),
    ExpiresAt: expiresAt.toISOString(),
  };
}
