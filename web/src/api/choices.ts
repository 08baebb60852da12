import { queryOptions, useQuery } from '@tanstack/react-query';
import type { TenantKind } from '../../../src/contract/shared/values.ts';
import { call } from './client.ts';
import { useMay, usePerson } from './session.ts';

const taxpayersQuery = queryOptions({
  queryKey: ['taxpayers'],
  queryFn: ({ signal }) => call('GET /api/admin/taxpayers', { query: { Limit: 200 }, signal }),
  select: (page) => page.Taxpayers,
});

const vendorsQuery = queryOptions({
  queryKey: ['vendors'],
  queryFn: ({ signal }) => call('GET /api/admin/vendors', { query: { Limit: 200 }, signal }),
  select: (page) => page.Vendors,
});

const billersQuery = queryOptions({
  queryKey: ['billers'],
  queryFn: ({ signal }) => call('GET /api/admin/billers', { query: { Limit: 200 }, signal }),
  select: (page) => page.Billers,
});

/** Those there are; none for who may not list them. */
export const useTaxpayers = () =>
  useQuery({ ...taxpayersQuery, enabled: useMay('GET /api/admin/taxpayers') }).data ?? [];
export const useVendors = () => useQuery({ ...vendorsQuery, enabled: useMay('GET /api/admin/vendors') }).data ?? [];
export const useBillers = () => useQuery({ ...billersQuery, enabled: useMay('GET /api/admin/billers') }).data ?? [];

/** What can be chosen in a list: its id, shown as its name. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A tenant's people choose nobody else: a choice of one is not asked. */
function useOwnOr(kind: TenantKind, choices: Choice[]): Choice[] {
  const { Kind, Id, Name } = usePerson().Tenant;
  return Kind === kind && Id !== null ? [{ value: Id, label: Name }] : choices;
}

export const useTaxpayerChoices = (): Choice[] =>
  useOwnOr(
    'taxpayer',
    useTaxpayers().map(({ TaxpayerId, Name }) => ({ value: TaxpayerId, label: Name })),
  );

export const useVendorChoices = (): Choice[] =>
  useOwnOr(
    'vendor',
    useVendors().map(({ VendorId, Name }) => ({ value: VendorId, label: Name })),
  );

export const useBillerChoices = (): Choice[] =>
  useOwnOr(
    'biller',
    useBillers().map(({ Code, Name }) => ({ value: Code, label: Name })),
  );

export function useTaxpayerName(): (taxpayerId: string) => string {
  const choices = useTaxpayerChoices();
  return (taxpayerId) => choices.find(({ value }) => value === taxpayerId)?.label ?? '…';
}
