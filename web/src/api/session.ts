import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { type PeopleAccess, peopleAccess } from '../../../src/contract/shared/operation.ts';
import { type InstallationRole, includesRole } from '../../../src/contract/shared/values.ts';
import type { TaxRounding } from '../../../src/kernel/tax.ts';
import type { AnswerAt } from './answers.ts';

export type SessionPerson = AnswerAt<'PATCH /api/admin/session'>;

export const SessionContext = createContext<SessionPerson | undefined>(undefined);

export const SESSION_KEY = ['session'] as const;

/** Someone else is logged in now: nothing of what the previous person saw stays. */
export function changePerson(client: QueryClient, Person: SessionPerson | null): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  client.setQueryData<AnswerAt<'GET /api/admin/session'>>(SESSION_KEY, (session) => session && { ...session, Person });
}

/** Where the installation lets exactly half a cent of tax go. */
export function useTaxRounding(): TaxRounding | undefined {
  return useQueryClient().getQueryData<AnswerAt<'GET /api/admin/session'>>(SESSION_KEY)?.TaxRounding;
}

/** Whether the receipts that are signed here are valid. */
export function useAuthority(): AnswerAt<'GET /api/admin/session'>['Authority'] | undefined {
  return useQueryClient().getQueryData<AnswerAt<'GET /api/admin/session'>>(SESSION_KEY)?.Authority;
}

export function usePerson(): SessionPerson {
  const person = useContext(SessionContext);
  if (person === undefined) throw new Error('nobody is logged in');
  return person;
}

type Allowed = InstallationRole | PeopleAccess;

/** What is not offered here is refused by the service as well. */
export function useMay(access: Allowed): boolean {
  return mayIn(usePerson(), access);
}

export function mayIn({ Tenant, Role }: SessionPerson, access: Allowed): boolean {
  const needed = peopleAccess(access)?.[Tenant.Kind];
  return needed !== undefined && includesRole(Tenant.Kind, Role, needed);
}
