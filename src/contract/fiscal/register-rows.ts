/** Registering a list of devices: what each row comes to, and the order of work. */
import { csvLine } from '../../kernel/csv.ts';
import { DEVICE_COLUMN_NAMES, type DeviceRow, type ListedDevice } from './device-list.ts';

/** In what a registered device is another one than the list's: its taxpayer, its serial number, or a setting that the list has. */
function differencesFrom(known: Readonly<Record<string, unknown>>, device: ListedDevice): string[] {
  const compared = DEVICE_COLUMN_NAMES.filter((name) => name in known && device[name] !== undefined);
  return compared
    .filter((name) => known[name] !== device[name])
    .map((name) => `${name} is ${String(known[name])} here`);
}

export type RowOutcome = 'New' | 'Registered' | 'Already there' | 'Different' | 'Refused' | 'Failed' | 'Not tried';

export interface RowResult extends DeviceRow {
  readonly outcome: RowOutcome;
  /** Why, where it is neither registered nor already there. */
  readonly detail: string;
}

interface DevicePage<Device> {
  readonly Devices: readonly Device[];
  readonly NextCursor: string | null;
}

/** The devices of a list that are registered already, from all pages of the installation's devices. */
export async function findKnown<Device extends { readonly AuthorityDeviceId: number }>(
  rows: readonly DeviceRow[],
  readPage: (query: { readonly Limit: number; readonly Cursor?: number }) => Promise<DevicePage<Device>>,
): Promise<ReadonlyMap<number, Device>> {
  const listed = new Set(rows.map((row) => row.device.AuthorityDeviceId));
  const known = new Map<number, Device>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: DevicePage<Device> = await readPage({
      Limit: 200,
      ...(cursor === '' ? {} : { Cursor: Number(cursor) }),
    });
    for (const device of page.Devices) {
      if (listed.has(device.AuthorityDeviceId)) known.set(device.AuthorityDeviceId, device);
    }
    cursor = page.NextCursor;
  }
  return known;
}

/** What becomes of the rows that need no registration: they are registered, or another device has the number. */
export function settleKnown(rows: readonly DeviceRow[], known: ReadonlyMap<number, Readonly<Record<string, unknown>>>) {
  const settled: RowResult[] = [];
  const open: DeviceRow[] = [];
  for (const row of rows) {
    const device = known.get(row.device.AuthorityDeviceId);
    if (device === undefined) open.push(row);
    else {
      const detail = differencesFrom(device, row.device).join(', ');
      settled.push({ ...row, outcome: detail === '' ? 'Already there' : 'Different', detail });
    }
  }
  return { settled, open };
}

/** At once: the authority answers one registration in four calls, and others want to be served too. */
const AT_ONCE = 4;
/** In a row: then it is not the device, but the authority or the network. */
const FAILURES = 5;

/** Registers row after row, a few at once. Stops when asked to, or when nothing works any more; the rest is not tried. */
export async function registerRows(
  rows: readonly DeviceRow[],
  register: (row: DeviceRow) => Promise<Pick<RowResult, 'outcome' | 'detail'>>,
  onResult: (result: RowResult) => void,
  isStopped: () => boolean = () => false,
): Promise<void> {
  let [next, failures] = [0, 0];
  const work = async () => {
    for (let row = rows[next]; row !== undefined && failures < FAILURES && !isStopped(); row = rows[next]) {
      next += 1;
      const result = await register(row);
      failures = result.outcome === 'Failed' ? failures + 1 : 0;
      onResult({ ...row, ...result });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const detail = failures < FAILURES ? 'stopped before it' : 'stopped after too many failures';
  for (const row of rows.slice(next)) onResult({ ...row, outcome: 'Not tried', detail });
}

/** For a spreadsheet; without the activation key. */
export const RESULT_HEADER = csvLine(['Line', 'AuthorityDeviceId', 'SerialNumber', 'Result', 'Detail']);

export function resultLine({ line, device, outcome, detail }: RowResult): string {
  return csvLine([line, device.AuthorityDeviceId, device.SerialNumber, outcome, detail]);
}
