import { queryOptions, useQuery } from '@tanstack/react-query';
import type { TenantKind } from '../../../src/contract/shared/values.ts';
import type { AnswerAt } from './answers.ts';
import { call, type Given } from './client.ts';
import { useMay, usePerson } from './session.ts';

/** All there are, as far as they are chosen from; none for who may not list them. */
function listed<At extends ListAddress, Name extends keyof AnswerAt<At>>(address: At, name: Name) {
  const query = queryOptions({
    queryKey: [name],
    queryFn: ({ signal }) => call(address, { query: { Limit: 200 }, signal } as unknown as Given<At>),
  });
  return () => useQuery({ ...query, enabled: useMay(address) }).data?.[name] ?? [];
}
type ListAddress = 'GET /api/admin/taxpayers' | 'GET /api/admin/vendors' | 'GET /api/admin/billers';

export const useTaxpayers = listed('GET /api/admin/taxpayers', 'Taxpayers');
export const useVendors = listed('GET /api/admin/vendors', 'Vendors');
export const useBillers = listed('GET /api/admin/billers', 'Billers');

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
