import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/console/invitation.ts';
import { newId } from '../../kernel/ids.ts';
import { type Refusal, Refused, refused } from '../../kernel/refusal.ts';
import { recordAudit } from '../../platform/database/audit.ts';
import { inTransaction } from '../../platform/database/database.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { auditOf } from './add-person.ts';
import { clearAllAttempts, hashEmail } from './attempt-store.ts';
import { canonicalEmail, checkPassword } from './core/password-rules.ts';
import { readTenant } from './core/tenant.ts';
import { dateOf, emailErrors, termErrors, wrongPerson } from './core/terms.ts';
import { inviteByMail, presentInvitation } from './invite.ts';
import { joinByInvitation, LOG_IN_FIRST, NO_LINK, OTHER_ADDRESS } from './join-by-invitation.ts';
import { sendLinkMail } from './link-mail.ts';
import { createGate } from './log-in-gate.ts';
import {
  findLink,
  insertLink,
  listInvitations,
  takeLink,
  wasResetSince,
  withdrawInvitation,
} from './mailed-link-store.ts';
import { findTenantName } from './membership-store.ts';
import { hashPassword } from './passwords.ts';
import { sessionCookie, sessionHashOf } from './session-cookie.ts';
import { type SessionContext, senderIn } from './session-routes.ts';
import { endSessions, findSession } from './session-store.ts';
import { findByEmail, insertPerson, setPassword } from './store.ts';

const RESET_MS = 3_600_000;
/** Between two mails to one address that anybody may ask for. */
const RESET_APART_MS = 5 * 60_000;

const NO_MAIL: Refusal = {
  code: 'InvalidRequest',
  detail: 'This installation sends no mail: its operator sets SMTP_URL and MAIL_FROM, or lets people in by hand.',
};

/** What goes by mail: invitations, and ways to a new password. */
export function invitationRoutes(app: FastifyInstance, context: SessionContext): void {
  const { pool, clock, guard, audited, mail, log, publicUrl, openId } = context;
  const gate = createGate((request) => senderIn(context, app.publicUrl, request), publicUrl);
  const addressOf = (token: string) => `${app.publicUrl}/console/link#${token}`;
  const later = (ms: number) => new Date(clock().getTime() + ms);

  route(app, guard, contract.listInvitations, async ({ query: { Limit = DEFAULT_PAGE, Cursor, ...fields } }) => {
    const tenant = readTenant(fields);
    if (tenant instanceof Refused) return tenant;
    const page = await readPage(Limit, (limit) =>
      listInvitations(pool, tenant, { before: Cursor, now: clock() }, limit),
    );
    return { Invitations: page.rows.map(presentInvitation), NextCursor: nextCursor(page, (last) => last.linkId) };
  });

  route(app, guard, contract.invite, async ({ request, body }) => {
    const tenant = readTenant(body);
    if (tenant instanceof Refused) return tenant;
    const email = canonicalEmail(body.Email);
    const errors = [
      ...emailErrors(email),
      ...termErrors(tenant, { role: body.Role, expiresAt: body.MembershipExpiresAt }, 'MembershipExpiresAt', clock()),
    ];
    if (errors.length > 0) return wrongPerson(errors);
    if (mail === undefined) return refused(NO_MAIL);
    const name = await findTenantName(pool, tenant);
    if (name === undefined) return refused({ code: 'NotFound', detail: 'There is no such tenant.' });
    const terms = { role: body.Role, membershipExpiresAt: dateOf(body.MembershipExpiresAt) };
    const invitation = { ...terms, tenant, tenantName: name, email, name: body.Name };
    return inviteByMail({ ...context, mail }, request, invitation);
  });

  route(app, guard, contract.withdrawInvitation, ({ request, params, query }) =>
    audited(request, async (tx) => {
      const tenant = readTenant(query);
      if (tenant instanceof Refused) return tenant;
      const link = await withdrawInvitation(tx, params.invitationId, tenant);
      if (link === undefined) return refused({ code: 'NotFound', detail: 'There is no such invitation.' });
      const before = presentInvitation(link);
      return { action: 'invitation.withdrawn', ...auditOf(tenant, link.email), before, answer: before };
    }),
  );

  route(
    app,
    () => gate.guard,
    contract.mailReset,
    async ({ body }) => {
      if (mail === undefined) return refused(NO_MAIL);
      const email = canonicalEmail(body.Email);
      const person = await findByEmail(pool, email);
      if (person === undefined || person.disabledAt !== null) return {};
      if (await wasResetSince(pool, email, later(-RESET_APART_MS))) return {};
      const { token } = await inTransaction(pool, async (tx) => {
        await recordAudit(tx, { actor: email, action: 'person.reset-mailed', subject: `person ${email}` });
        return insertLink(tx, { email, createdAt: clock(), expiresAt: later(RESET_MS), invitation: undefined });
      });
      sendLinkMail(mail, log, {
        to: email,
        subject: 'A new password for Tillseal',
        lines: [
          `Choose a new password within an hour:\n${addressOf(token)}`,
          'The link works once. If you did not ask for it, do nothing: your password stays as it is.',
        ],
      });
      return {};
    },
  );

  route(
    app,
    () => gate.guard,
    contract.readLink,
    async ({ body: { Token } }) => {
      const link = await findLink(pool, Token, clock());
      if (link === undefined) return refused(NO_LINK);
      const person = await findByEmail(pool, link.email);
      const Invites =
        link.invitation === undefined ? null : ((await findTenantName(pool, link.invitation.tenant)) ?? '');
      return {
        Email: link.email,
        Name: person?.name ?? link.invitation?.name ?? '',
        Invites,
        HasAccount: person !== undefined,
      };
    },
  );

  route(
    app,
    () => gate.guard,
    contract.useLink,
    async ({ request, body }) => {
      const link = await findLink(pool, body.Token, clock());
      if (link === undefined) return refused(NO_LINK);
      const { email, invitation } = link;
      const person = await findByEmail(pool, email);
      const hash = sessionHashOf(request.headers.cookie, sessionCookie(app.publicUrl));
      const session = hash && (await findSession(pool, hash, clock(), openId?.issuer));
      if (invitation !== undefined && session !== undefined && session.email !== email) return refused(OTHER_ADDRESS);
      const isOwnSession = session !== undefined && session.needs !== 'SecondFactor';
      if (invitation !== undefined && person !== undefined && !isOwnSession) return refused(LOG_IN_FIRST);
      const isPasswordNeeded = invitation === undefined || person === undefined;
      const errors = isPasswordNeeded ? checkPassword('NewPassword', body.NewPassword ?? '', email) : [];
      if (errors.length > 0) return refused({ code: 'InvalidRequest', detail: 'The link was not used.', errors });
      // Only for who has the mail: it is expensive.
      const passwordHash = isPasswordNeeded ? await hashPassword(body.NewPassword ?? '') : '';
      return inTransaction(pool, async (tx) => {
        if (!(await takeLink(tx, link.linkId))) return refused(NO_LINK);
        if (invitation === undefined) {
          if (person === undefined) return refused(NO_LINK);
          await setPassword(tx, person.personId, passwordHash, false);
          await endSessions(tx, person.personId);
          await clearAllAttempts(tx, hashEmail(email));
          await recordAudit(tx, { actor: email, action: 'person.password-reset', subject: `person ${email}` });
          return { Email: email };
        }
        const name = body.Name ?? invitation.name;
        const invited =
          person ??
          (await insertPerson(tx, { personId: newId(), email, name, passwordHash, mustChangePassword: false }));
        if (invited === undefined) return refused(LOG_IN_FIRST);
        await joinByInvitation(tx, invited.personId, link);
        return { Email: email };
      });
    },
  );
}
