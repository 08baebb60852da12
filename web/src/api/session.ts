import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { TenantQuery } from '../../../src/contract/shared/tenant.ts';
import { includesRole, TENANT_FIELDS } from '../../../src/contract/shared/values.ts';
import type { Address, AnswerAt } from './answers.ts';

export type SessionPerson = AnswerAt<'PATCH /api/admin/session'>;

export const SessionContext = createContext<SessionPerson | undefined>(undefined);

export const SESSION_KEY = ['session'] as const;

/** Someone else is logged in now: nothing of what the previous person saw stays. */
export function changePerson(client: QueryClient, Person: SessionPerson | null): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  client.setQueryData<AnswerAt<'GET /api/admin/session'>>(SESSION_KEY, (session) => session && { ...session, Person });
}

const useSession = () => useQueryClient().getQueryData<AnswerAt<'GET /api/admin/session'>>(SESSION_KEY);
/** Where the installation lets exactly half a cent of tax go. */
export const useTaxRounding = () => useSession()?.TaxRounding;
/** Whether the receipts that are signed here are valid. */
export const useAuthority = () => useSession()?.Authority;
/** By which people can log in, beside their passwords: its name. */
export const useOpenIdProvider = () => useSession()?.OpenIdProvider ?? null;

export function usePerson(): SessionPerson {
  const person = useContext(SessionContext);
  if (person === undefined) throw new Error('nobody is logged in');
  return person;
}

/** What is not offered here is refused by the service as well. What needs no operation is also there before somebody is logged in. */
export function useMay(address: Address | undefined): boolean {
  const person = useContext(SessionContext);
  return address === undefined || (person !== undefined && may(person, address));
}

/** Whether somebody may use an operation, as the contract says; without a role in it, or without one, everybody may. */
export function may({ Tenant, Role }: SessionPerson, address: Address | undefined): boolean {
  const access = address && ACCESS[address];
  if (!access) return true;
  const needed = access[Tenant.Kind];
  return needed !== undefined && includesRole(Tenant.Kind, Role, needed);
}

/** Of what a form would send, whatever is not the installation's alone; and whether a field is asked for. */
export function useOwnFields(address: Address) {
  const kept = usePerson().Tenant.Kind === 'installation' ? [] : (KEPT_FIELDS[address] ?? []);
  const has = (name: string) => !kept.includes(name);
  const of = <Body extends object>(body: Body): Partial<Body> =>
    Object.fromEntries(Object.entries(body).filter(([name]) => has(name))) as Partial<Body>;
  return { has, of };
}

/** The field that names whom one acts for, as a query or body has it; of the installation none. */
export function useOwnField(): TenantQuery {
  const { Kind, Id } = usePerson().Tenant;
  const field = TENANT_FIELDS[Kind];
  return field && Id !== null ? { [field]: Id } : {};
}
