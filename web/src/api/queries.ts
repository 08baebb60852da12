import { queryOptions, useInfiniteQuery } from '@tanstack/react-query';
import type { Address, AnswerAt } from './answers.ts';
import { call, type Given } from './client.ts';

/** Reads an operation of the contract, again whenever the service tells that something has changed. */
export function live<At extends Address>(address: At, given: Given<At>) {
  return queryOptions({
    queryKey: ['live', address, given],
    queryFn: ({ signal }) => call(address, { ...given, signal }),
  });
}

export const receiptQuery = (authorityDeviceId: number, globalCounter: number) =>
  live('GET /api/admin/devices/:authorityDeviceId/receipts/:globalCounter', {
    params: { authorityDeviceId, globalCounter },
  });

export type ListOf<
  At extends Address,
  Name extends keyof AnswerAt<At>,
> = AnswerAt<At>[Name] extends readonly (infer Item)[] ? Item : never;

/** A list of the contract that goes on with its cursor; `name` is where its items are. It is read again while one of them is under way. */
export function useList<At extends Address, Name extends keyof AnswerAt<At> & string>(
  address: At,
  name: Name,
  given: Given<At>,
  limit = 50,
  isUnderWay?: (item: ListOf<At, Name>) => boolean,
) {
  const itemsOf = (data: { readonly pages: readonly AnswerAt<At>[] } | undefined) =>
    data?.pages.flatMap((page) => page[name] as readonly ListOf<At, Name>[]);
  const pages = useInfiniteQuery({
    queryKey: ['live', address, given],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call(address, { ...given, query: { ...given.query, Limit: limit, Cursor: pageParam }, signal } as Given<At>),
    getNextPageParam: (page) => (page as { readonly NextCursor: string | null }).NextCursor ?? undefined,
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => isUnderWay !== undefined && itemsOf(state.data)?.some(isUnderWay) === true && 3000,
  });
  return { ...pages, items: itemsOf(pages.data) };
}
