import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from './client.ts';
import { taxpayersQuery } from './queries.ts';

export const vendorsQuery = queryOptions({
  queryKey: ['vendors'],
  queryFn: ({ signal }) => call('GET /api/admin/vendors', { query: { Limit: 200 }, signal }),
  select: (page) => page.Vendors,
});

export const billersQuery = queryOptions({
  queryKey: ['billers'],
  queryFn: ({ signal }) => call('GET /api/admin/billers', { query: { Limit: 200 }, signal }),
  select: (page) => page.Billers,
});

/** What can be chosen in a list: its id, shown as its name. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

export const useTaxpayerChoices = (): Choice[] =>
  (useQuery(taxpayersQuery).data ?? []).map(({ TaxpayerId, Name }) => ({ value: TaxpayerId, label: Name }));

export const useVendorChoices = (): Choice[] =>
  (useQuery(vendorsQuery).data ?? []).map(({ VendorId, Name }) => ({ value: VendorId, label: Name }));

export const useBillerChoices = (): Choice[] =>
  (useQuery(billersQuery).data ?? []).map(({ Code, Name }) => ({ value: Code, label: Name }));
