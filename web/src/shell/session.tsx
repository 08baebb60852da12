import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo } from 'react';
import type { Role } from '../../../src/contract/operator.ts';
import type { SessionOperator } from '../../../src/contract/session.ts';
import { type AnswerAt, call } from '../api/client.ts';
import { Failure } from '../parts/states.tsx';
import { timesIn } from '../parts/times.ts';
import { TimesProvider } from '../parts/use-times.ts';
import { ChoosePassword } from './choose-password.tsx';
import { LogIn } from './log-in.tsx';

const SessionContext = createContext<SessionOperator | undefined>(undefined);

export const SESSION_KEY = ['session'] as const;

/** Somebody else sits here now: nothing of what the one before has seen stays. */
export function changeOperator(client: QueryClient, Operator: SessionOperator | null): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  client.setQueryData<AnswerAt<'GET /api/admin/session'>>(
    SESSION_KEY,
    (session) => session && { ...session, Operator },
  );
}

/** Nothing of the console is there before somebody is logged in. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const session = useQuery({
    queryKey: SESSION_KEY,
    queryFn: () => call('GET /api/admin/session', {}),
    staleTime: 60_000,
  });
  const zone = session.data?.TimeZone;
  const times = useMemo(() => (zone === undefined ? undefined : timesIn(zone)), [zone]);
  useEffect(() => {
    const signedOut = () => changeOperator(client, null);
    window.addEventListener('tillseal:signed-out', signedOut);
    return () => window.removeEventListener('tillseal:signed-out', signedOut);
  }, [client]);
  if (session.error !== null) return <Failure error={session.error} onRetry={() => void session.refetch()} />;
  if (session.data === undefined || times === undefined) return null;
  const operator = session.data.Operator;
  if (operator === null) return <LogIn />;
  if (operator.MustChangePassword) return <ChoosePassword operator={operator} />;
  return (
    <SessionContext value={operator}>
      <TimesProvider value={times}>{children}</TimesProvider>
    </SessionContext>
  );
}

export function useOperator(): SessionOperator {
  const operator = useContext(SessionContext);
  if (operator === undefined) throw new Error('no operator is logged in');
  return operator;
}

const ORDER: readonly Role[] = ['viewer', 'operator', 'admin'];

/** What is not offered here is refused by the service as well. */
export function useMay(role: Role): boolean {
  return ORDER.indexOf(useOperator().Role) >= ORDER.indexOf(role);
}
