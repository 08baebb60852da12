import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import type { Overview } from '../api/answers.ts';
import { call } from '../api/client.ts';

interface Live {
  readonly overview: Overview | undefined;
  readonly isConnected: boolean;
}

const LiveContext = createContext<Live>({ overview: undefined, isConnected: false });

const ASK_EVERY_MS = 2000;

/** Asked once for all pages; whatever hangs on receipts, devices, alerts or payments is read again when the overview has changed. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const { data: overview, isError } = useQuery({
    queryKey: ['overview'],
    queryFn: ({ signal }) => call('GET /api/admin/overview', { signal }),
    refetchInterval: ASK_EVERY_MS,
  });
  const picture =
    overview &&
    JSON.stringify([
      overview.LatestReceipts,
      overview.Backlog.Receipts,
      overview.Devices,
      overview.Alerts,
      overview.BillPayments,
    ]);
  const lastPicture = useRef(picture);
  useEffect(() => {
    if (lastPicture.current !== undefined && lastPicture.current !== picture)
      void client.invalidateQueries({ queryKey: ['live'] });
    lastPicture.current = picture;
  }, [client, picture]);
  return <LiveContext value={{ overview, isConnected: overview !== undefined && !isError }}>{children}</LiveContext>;
}

export function useLive(): Live {
  return useContext(LiveContext);
}
