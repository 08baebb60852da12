import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Role } from '../../../src/contract/console/operator.ts';
import type { SessionOperator } from '../../../src/contract/console/session.ts';
import type { TaxRounding } from '../../../src/kernel/tax.ts';
import type { AnswerAt } from './answers.ts';

export const SessionContext = createContext<SessionOperator | undefined>(undefined);

export const SESSION_KEY = ['session'] as const;

/** Someone else is logged in now: nothing of what the previous person saw stays. */
export function changeOperator(client: QueryClient, Operator: SessionOperator | null): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  client.setQueryData<AnswerAt<'GET /api/admin/session'>>(
    SESSION_KEY,
    (session) => session && { ...session, Operator },
  );
}

/** Where the installation lets exactly half a cent of tax go. */
export function useTaxRounding(): TaxRounding | undefined {
  return useQueryClient().getQueryData<AnswerAt<'GET /api/admin/session'>>(SESSION_KEY)?.TaxRounding;
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
