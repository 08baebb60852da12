import { queryOptions, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type Address, type AnswerAt, call, type Given, get, query } from './client.ts';

/** What begins with `live` is read again when the service tells that something has changed. */
export const taxpayersQuery = queryOptions({
  queryKey: ['taxpayers'],
  queryFn: ({ signal }) => call('GET /api/admin/taxpayers', { query: { Limit: 200 }, signal }),
  select: (page) => page.Taxpayers,
});

export function useTaxpayerName(): (taxpayerId: string) => string {
  const { data } = useQuery(taxpayersQuery);
  return (taxpayerId) => data?.find((taxpayer) => taxpayer.TaxpayerId === taxpayerId)?.Name ?? '…';
}

export const deviceQuery = (deviceId: number) =>
  queryOptions({
    queryKey: ['live', 'device', deviceId],
    queryFn: ({ signal }) =>
      call('GET /api/admin/devices/:authorityDeviceId', { params: { authorityDeviceId: deviceId }, signal }),
  });

export const daysQuery = (deviceId: number) =>
  queryOptions({
    queryKey: ['live', 'days', deviceId],
    queryFn: ({ signal }) =>
      call('GET /api/admin/devices/:authorityDeviceId/days', {
        params: { authorityDeviceId: deviceId },
        query: { Limit: 60 },
        signal,
      }),
  });

export const dayReportQuery = (deviceId: number, day: number) =>
  queryOptions({
    queryKey: ['live', 'report', deviceId, day],
    queryFn: ({ signal }) =>
      call('GET /api/admin/devices/:authorityDeviceId/days/:fiscalDayNumber/report', {
        params: { authorityDeviceId: deviceId, fiscalDayNumber: day },
        signal,
      }),
    enabled: day > 0,
  });

export const receiptQuery = (deviceId: number, globalCounter: number) =>
  queryOptions({
    queryKey: ['live', 'receipt', deviceId, globalCounter],
    queryFn: ({ signal }) =>
      call('GET /api/admin/devices/:authorityDeviceId/receipts/:globalCounter', {
        params: { authorityDeviceId: deviceId, globalCounter },
        signal,
      }),
  });

/** A list that goes on with its cursor; `name` is where its items are. */
export function usePages<Item>(
  key: readonly unknown[],
  path: string,
  name: string,
  filter: Readonly<Record<string, string | number | boolean | null | undefined>> = {},
  limit = 50,
) {
  const pages = useInfiniteQuery({
    queryKey: [...key, filter],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      get<Record<string, unknown>>(`${path}${query({ ...filter, Limit: limit, Cursor: pageParam })}`, signal),
    getNextPageParam: (page) => (typeof page['NextCursor'] === 'string' ? page['NextCursor'] : undefined),
    placeholderData: (before) => before,
  });
  const items = pages.data?.pages.flatMap((page) => page[name] as Item[]);
  return { ...pages, items };
}

type ListOf<At extends Address, Name extends keyof AnswerAt<At>> = AnswerAt<At>[Name] extends readonly (infer Item)[]
  ? Item
  : never;

/** A list of the contract that goes on with its cursor; `name` is where its items are. */
export function useList<At extends Address, Name extends keyof AnswerAt<At> & string>(
  key: readonly unknown[],
  address: At,
  name: Name,
  given: Given<At>,
  limit = 50,
) {
  const pages = useInfiniteQuery({
    queryKey: [...key, address, given],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call(address, { ...given, query: { ...given.query, Limit: limit, Cursor: pageParam }, signal } as Given<At>),
    getNextPageParam: (page) => (page as { readonly NextCursor: string | null }).NextCursor ?? undefined,
    placeholderData: (before) => before,
  });
  const items = pages.data?.pages.flatMap((page) => page[name] as readonly ListOf<At, Name>[]);
  return { ...pages, items };
}
