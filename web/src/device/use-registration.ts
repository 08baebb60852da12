import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { DeviceRow } from '../../../src/contract/fiscal/device-list.ts';
import { findKnown, type RowResult, registerRows, settleKnown } from '../../../src/contract/fiscal/register-rows.ts';
import { call, Problem } from '../api/client.ts';

type Row = Parameters<typeof register>[0];

async function register({ device }: DeviceRow): Promise<Pick<RowResult, 'outcome' | 'detail'>> {
  try {
    await call('POST /api/admin/devices', { body: device });
    return { outcome: 'Registered', detail: '' };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const detail = [error.message, ...error.errors.map(({ Field, Message }) => `${Field}: ${Message}`)].join(' ');
    return { outcome: error.status >= 400 && error.status < 500 ? 'Refused' : 'Failed', detail };
  }
}

/** Registers the rows of a checked list from this page; leaving it stops after those that are under way. */
export function useRegistration(rows: readonly Row[]) {
  const client = useQueryClient();
  const isStopped = useRef(false);
  const [run, setRun] = useState<{ readonly results: readonly RowResult[]; readonly isRunning: boolean }>();
  const stop = useCallback(() => {
    isStopped.current = true;
  }, []);
  useEffect(() => stop, [stop]);
  // Not by the rows themselves: they have activation keys, and a key of the cache is kept.
  const known = useQuery({
    queryKey: ['listed devices', rows.map((row) => row.device.AuthorityDeviceId)],
    queryFn: ({ signal }) => findKnown(rows, (query) => call('GET /api/admin/devices', { query, signal })),
    enabled: rows.length > 0,
    gcTime: 0,
  });
  const { settled, open } = settleKnown(rows, known.data ?? new Map());
  const start = async () => {
    isStopped.current = false;
    setRun({ results: settled, isRunning: true });
    const add = (result: RowResult) =>
      setRun((before) => ({ results: [...(before?.results ?? []), result], isRunning: true }));
    await registerRows(open, register, add, () => isStopped.current);
    setRun((before) => ({ results: before?.results ?? [], isRunning: false }));
    await client.invalidateQueries();
  };
  return {
    known,
    settled,
    open,
    run,
    start,
    stop,
    forget: () => setRun(undefined),
  };
}
