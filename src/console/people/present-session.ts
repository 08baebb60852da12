import type { FastifyReply } from 'fastify';
import type { LoggedIn as LoggedInAnswer, SessionPerson } from '../../contract/console/session.ts';
import type { TaxRounding } from '../../kernel/tax.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Administration } from '../../platform/http/administration.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { authorityKind } from './core/authority-kind.ts';
import { browserCookieFor } from './known-browser.ts';
import type { LoggedIn } from './log-in.ts';
import { findTenantFacts, findTenantName, listMemberships } from './membership-store.ts';
import { browserCookie, sessionCookie, setCookie } from './session-cookie.ts';
import type { Session } from './session-store.ts';

/** Where the console is, and what it knows before somebody is logged in. */
export interface Place extends Pick<Administration, 'pool' | 'clock'> {
  readonly masterKeys: MasterKeys;
  /** In which people see every time. */
  readonly timeZone: string;
  readonly taxRounding: TaxRounding;
  readonly authorityUrl: string | undefined;
}

export const placeOf = ({ timeZone, taxRounding, authorityUrl }: Place) => ({
  TimeZone: timeZone,
  TaxRounding: taxRounding,
  Authority: authorityKind(authorityUrl),
});

/** Gives the browser its session. */
export function welcome(place: Place, reply: FastifyReply, { sessionId, session, emailHash }: LoggedIn) {
  const { publicUrl } = reply.server;
  const known = browserCookieFor(browserCookie(publicUrl), place.masterKeys.current(), emailHash, place.clock());
  reply.header('set-cookie', [setCookie(sessionCookie(publicUrl), sessionId), known]);
  return presentLogIn(place, session);
}

export async function presentLogIn(place: Place, session: Session): Promise<LoggedInAnswer> {
  const [Person, { timeZone }] = await Promise.all([
    presentSession(place.pool, session, place.clock()),
    findTenantFacts(place.pool, session.tenant),
  ]);
  const known = placeOf(place);
  return { ...known, Person, TimeZone: timeZone ?? known.TimeZone };
}

export async function presentSession(db: Queryable, session: Session, now: Date): Promise<SessionPerson> {
  const { kind, id } = session.tenant;
  const [Name = '', { isSuspended }, Memberships] = await Promise.all([
    findTenantName(db, session.tenant),
    findTenantFacts(db, session.tenant),
    // Who has only the password learns nothing of them.
    session.needs === 'SecondFactor' ? [] : listMemberships(db, session.personId, now, session.issuer),
  ]);
  return {
    PersonId: session.personId,
    Email: session.email,
    Name: session.name,
    Role: session.role,
    Tenant: { Kind: kind, Id: id || null, Name },
    IsSuspended: isSuspended,
    IsLooking: session.isLooking,
    Memberships,
    Needs: session.needs,
    ExpiresAt: session.expiresAt.toISOString(),
  };
}
