import { OWNERS } from '../shared/access.ts';
import { operation } from '../shared/operation.ts';
import { AnyRole, tenantFields } from '../shared/tenant.ts';
import { answered, input, only, pages, shape, Type } from '../shared/vocabulary.ts';

const Name = Type.String({ minLength: 1, maxLength: 100 });
const MembershipExpiresAt = Type.textOrNull({
  maxLength: 40,
  description: 'When the membership will end. Null: never.',
});
const Invitation = shape('Invitation', {
  InvitationId: Type.String(),
  Email: Type.String(),
  Name: Type.String(),
  Role: AnyRole,
  MembershipExpiresAt,
  InvitedBy: Type.String(),
  CreatedAt: Type.Instant,
  ExpiresAt: Type.Instant,
});
export type Invitation = Type.Static<typeof Invitation>;

export const listInvitations = operation('GET /api/admin/invitations', {
  access: OWNERS,
  summary: 'Invitations that wait to be accepted',
  ...pages('Invitations', Invitation, 'InvitationList', { ...tenantFields, Cursor: Type.Id }),
});

export const invite = operation('POST /api/admin/invitations', {
  access: OWNERS,
  summary: 'Invite someone by e-mail',
  description:
    'The mail has a link that works once, for seven days, and only for the owner of the address. Needs SMTP_URL. Inviting the same address again makes the earlier link worthless.',
  body: input('NewInvitation', {
    Email: Type.String({ maxLength: 320 }),
    Name,
    Role: AnyRole,
    MembershipExpiresAt: Type.Optional(MembershipExpiresAt),
    ...tenantFields,
  }),
  bodyExamples: { 'An operator': { Email: 'rudo@example.com', Name: 'Rudo Ncube', Role: 'viewer' } },
  answer: answered('The invitation; the mail is on its way.', Invitation, 201),
  refusals: ['NotFound'],
});

export const withdrawInvitation = operation('DELETE /api/admin/invitations/:invitationId', {
  access: OWNERS,
  summary: 'Withdraw an invitation',
  query: only(tenantFields),
  answer: answered('It was this one.', Invitation),
});

const Token = Type.String({ minLength: 20, maxLength: 100, description: 'Of the link in the mail.' });
const fromConsole = { access: 'anybody', refusals: ['Forbidden', 'NotFound', 'RateLimited', 'Unavailable'] } as const;

export const mailReset = operation('POST /api/admin/session/reset', {
  ...fromConsole,
  summary: 'Have a link to a new password mailed to you',
  description: 'The answer is the same whether anybody has the address. The link works once, for an hour.',
  body: input('PasswordResetRequest', { Email: Type.String({ maxLength: 320 }) }),
  bodyExamples: { 'An address': { Email: 'tendai@example.com' } },
  answer: answered('If somebody has the address, a mail is on its way.', shape('MailOnItsWay', {}), 202),
});

export const readLink = operation('POST /api/admin/session/link', {
  ...fromConsole,
  summary: 'What a link in a mail is for',
  body: input('MailedLink', { Token }),
  bodyExamples: { 'A link': { Token: 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfG' } },
  answer: answered(
    'What it is for.',
    shape('MailedLinkPurpose', {
      Email: Type.String(),
      Name: Type.String(),
      Invites: Type.textOrNull({ description: 'To whom; null: a new password.' }),
      HasAccount: Type.Boolean({ description: 'An invitation is then accepted while logged in with this address.' }),
    }),
  ),
});

export const useLink = operation('PUT /api/admin/session/link', {
  ...fromConsole,
  summary: 'Accept an invitation, or set a new password',
  description:
    'A new password ends all your sessions; log in with it. An invitation to somebody who has an account is accepted with the session of that account, and without a password.',
  body: input('LinkUse', {
    Token,
    Name: Type.Optional(Name),
    NewPassword: Type.Optional(Type.String({ maxLength: 1000 })),
  }),
  bodyExamples: {
    'With a password': { Token: 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfG', NewPassword: 'four words are enough' },
  },
  answer: answered('Who can log in now.', shape('LinkUsed', { Email: Type.String() })),
});
