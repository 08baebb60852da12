import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import type { Overview } from '../api/answers.ts';
import { parseExact } from '../api/client.ts';

interface Live {
  readonly overview: Overview | undefined;
  readonly isConnected: boolean;
}

const LiveContext = createContext<Live>({ overview: undefined, isConnected: false });

/** What hangs on receipts is read again at most so often, however many are sealed. */
const REFRESH_MS = 2000;

/** One stream for all pages: the service tells when something has changed, and nothing is asked for in vain. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const [overview, setOverview] = useState<Overview>();
  const [isConnected, setConnected] = useState(false);
  const lastPicture = useRef('');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const source = new EventSource('/api/admin/live');
    source.addEventListener('open', () => setConnected(true));
    source.addEventListener('error', () => {
      setConnected(false);
      // A stream that was refused is not tried again by the browser; asking who is logged in tells why.
      if (source.readyState === EventSource.CLOSED) void client.invalidateQueries({ queryKey: ['session'] });
    });
    source.addEventListener('overview', (event) => {
      const news = parseExact(event.data) as Overview;
      setOverview(news);
      setConnected(true);
      const picture = JSON.stringify([
        news.LatestReceipts,
        news.Backlog.Receipts,
        news.Devices,
        news.Alerts,
        news.BillPayments,
      ]);
      if (lastPicture.current !== '' && lastPicture.current !== picture && timer === undefined) {
        timer = setTimeout(() => {
          timer = undefined;
          void client.invalidateQueries({ queryKey: ['live'] });
        }, REFRESH_MS / 4);
      }
      lastPicture.current = picture;
    });
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [client]);
  return <LiveContext value={{ overview, isConnected }}>{children}</LiveContext>;
}

export function useLive(): Live {
  return useContext(LiveContext);
}
