import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import type { Overview } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.ts';

interface Live {
  readonly overview: Overview | undefined;
  readonly isConnected: boolean;
}

const LiveContext = createContext<Live>({ overview: undefined, isConnected: false });

const ASK_EVERY_MS = 2000;
const LOOK_EVERY_MS = 5000;

/** Asked once for all pages; whatever hangs on receipts, devices, alerts or payments is read again when the overview has changed. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  // The overview is of the whole installation; a tenant's people look every few seconds.
  const isWhole = useMay('GET /api/admin/overview');
  const pulse = useQuery({
    queryKey: ['pulse'],
    queryFn: ({ signal }) => call('GET /api/admin/session', { signal }),
    refetchInterval: LOOK_EVERY_MS,
    enabled: !isWhole,
  });
  useEffect(() => {
    if (pulse.dataUpdatedAt > 0) void client.invalidateQueries({ queryKey: ['live'] });
  }, [client, pulse.dataUpdatedAt]);
  const { data: overview, isError } = useQuery({
    enabled: isWhole,
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
  const isConnected = isWhole ? overview !== undefined && !isError : pulse.data !== undefined && !pulse.isError;
  return <LiveContext value={{ overview, isConnected }}>{children}</LiveContext>;
}

export function useLive(): Live {
  return useContext(LiveContext);
}
