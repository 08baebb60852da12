import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { call } from '../api/client.ts';
import { changePerson, SESSION_KEY, SessionContext } from '../api/session.ts';
import { Failure } from '../parts/states.tsx';
import { timesIn } from '../parts/times.ts';
import { TimesProvider } from '../parts/use-times.ts';
import { isReturn, ReturnFromProvider } from './by-provider.tsx';
import { ChoosePassword } from './choose-password.tsx';
import { LogIn } from './log-in.tsx';
import { ConfirmAddress, isConfirmation, isMailedLink, MailedLinkPage } from './mailed-link.tsx';
import { Enrolment, GiveSecondFactor } from './second-factor.tsx';

/** Nothing of the console is shown before someone is logged in. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const [showsCodes, setShowsCodes] = useState(false);
  const session = useQuery({
    queryKey: SESSION_KEY,
    queryFn: () => call('GET /api/admin/session', {}),
    staleTime: 60_000,
  });
  const zone = session.data?.TimeZone;
  const times = useMemo(() => (zone === undefined ? undefined : timesIn(zone)), [zone]);
  useEffect(() => {
    const signedOut = () => changePerson(client, null);
    window.addEventListener('tillseal:signed-out', signedOut);
    return () => window.removeEventListener('tillseal:signed-out', signedOut);
  }, [client]);
  if (session.error !== null) return <Failure error={session.error} onRetry={() => void session.refetch()} />;
  if (session.data === undefined || times === undefined) return null;
  const person = session.data.Person;
  if (isConfirmation()) return <ConfirmAddress />;
  if (isReturn()) return <ReturnFromProvider />;
  if (isMailedLink()) return <MailedLinkPage person={person} />;
  if (person === null) return <LogIn />;
  if (person.Needs === 'SecondFactor') return <GiveSecondFactor />;
  if (person.Needs === 'Password') return <ChoosePassword person={person} />;
  if (person.Needs === 'Enrolment' || showsCodes) return <Enrolment onCodes={setShowsCodes} />;
  return (
    <SessionContext value={person}>
      <TimesProvider value={times}>{children}</TimesProvider>
    </SessionContext>
  );
}
