/**
 * A list of devices to be registered, as CSV: the whole file is checked before the first device is registered, and a device that
 * is registered already is left alone, so the same file may be used again until nothing is left to do. The columns are the
 * fields of a single registration; the command line and the console share this, so that one file means the same to both.
 */
import { readCsv } from '../../kernel/csv.ts';
import { isZone } from '../../kernel/zone.ts';
import { REGISTRATION } from '../shared/values.ts';
import type { DeviceRegistration } from './device.ts';

/** What registering one device takes; to register again is said of one device, and not of a list. */
export type ListedDevice = Omit<DeviceRegistration, 'Again'>;

export const DEVICE_COLUMN_NAMES = Object.keys(REGISTRATION) as (keyof ListedDevice)[];

export function isRequired(name: keyof ListedDevice): boolean {
  return !('default' in REGISTRATION[name]) && name !== 'LastGlobalCounter';
}

/** What is expected of texts; numbers and words say it themselves. */
const EXPECTED: { readonly [Name in keyof ListedDevice]?: string } = {
  TaxpayerId: 'the id of a taxpayer, such as 0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
  SerialNumber: '1 to 20 characters',
  ActivationKey: '8 characters; a spreadsheet drops leading zeros unless the column is text',
  Zone: 'an IANA time zone, such as Africa/Harare',
  MaintenanceStart: 'a time of day with two digits each, such as 02:00',
};

interface Field {
  readonly type: 'string' | 'integer';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
}

/** What is expected instead of this text; undefined if it is good. */
function faultOf(name: keyof ListedDevice, text: string): string | undefined {
  const {
    type,
    minimum = 0,
    maximum = 0,
    minLength = 0,
    maxLength = 100,
    pattern,
    enum: words,
  }: Field = REGISTRATION[name];
  if (type === 'integer') {
    const isGood = /^\d{1,10}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
    return isGood ? undefined : `a whole number from ${minimum} to ${maximum}`;
  }
  if (words !== undefined) return words.includes(text) ? undefined : words.join(' or ');
  const isGood =
    text.length >= minLength &&
    text.length <= maxLength &&
    (pattern === undefined || new RegExp(pattern).test(text)) &&
    (name !== 'Zone' || isZone(text));
  return isGood ? undefined : EXPECTED[name];
}

export interface DeviceRow {
  readonly line: number;
  readonly device: ListedDevice;
}

/** One thing that is wrong with the file. */
export interface ListProblem {
  readonly line: number;
  readonly column: string;
  readonly message: string;
}

/** The devices of a file, and everything that is wrong with it. `taxpayerId` is for rows that name none. */
export function readDeviceList(
  text: string,
  taxpayerId?: string,
): { readonly rows: readonly DeviceRow[]; readonly problems: readonly ListProblem[] } {
  const [header, ...lines] = readCsv(text);
  if (header === undefined) return { rows: [], problems: [{ line: 1, column: '', message: 'the file is empty' }] };
  const names = header.cells.map((cell) =>
    DEVICE_COLUMN_NAMES.find((name) => name.toLowerCase() === cell.toLowerCase()),
  );
  const problems: ListProblem[] = headerProblems(header.cells, names, taxpayerId !== undefined);
  if (problems.length > 0) return { rows: [], problems };
  const seen = new Map<string, number>();
  const rows = lines.map(({ line, cells }) => {
    const report = (column: string, message: string) => problems.push({ line, column, message });
    if (cells.length > names.length)
      report('', `${cells.length} cells, but the first line names ${names.length} columns`);
    const given = new Map(names.map((name, place) => [name, cells[place] ?? '']));
    if (taxpayerId !== undefined && !given.get('TaxpayerId')) given.set('TaxpayerId', taxpayerId);
    const id = given.get('AuthorityDeviceId') ?? '';
    if (seen.has(id)) report('AuthorityDeviceId', `device ${id} is already on line ${seen.get(id)}`);
    else seen.set(id, line);
    return { line, device: readDevice(given, report) };
  });
  return { rows, problems };
}

function headerProblems(
  cells: readonly string[],
  names: readonly (keyof ListedDevice | undefined)[],
  hasTaxpayer: boolean,
): ListProblem[] {
  const report = (column: string, message: string) => ({ line: 1, column, message });
  const isMissing = (name: keyof ListedDevice) =>
    isRequired(name) && !names.includes(name) && !(name === 'TaxpayerId' && hasTaxpayer);
  return [
    ...cells.flatMap((cell, place) => {
      if (names[place] === undefined)
        return [report(cell, `no such column; the columns are ${DEVICE_COLUMN_NAMES.join(', ')}`)];
      return names.indexOf(names[place]) < place ? [report(cell, 'the column is there twice')] : [];
    }),
    ...DEVICE_COLUMN_NAMES.filter(isMissing).map((name) => report(name, 'the column is missing from the first line')),
  ];
}

function readDevice(
  given: ReadonlyMap<keyof ListedDevice | undefined, string>,
  report: (column: string, message: string) => void,
): ListedDevice {
  const fields = DEVICE_COLUMN_NAMES.flatMap((name): [string, string | number][] => {
    const text = given.get(name) ?? '';
    if (text === '' && !isRequired(name)) return [];
    // What was in the cell is not repeated: an activation key must not end up in a log.
    const expected = faultOf(name, text);
    if (expected !== undefined) report(name, `${expected}${text === '' ? '; it is empty' : ''}`);
    return [[name, REGISTRATION[name].type === 'integer' ? Number(text) : text]];
  });
  return Object.fromEntries(fields) as unknown as ListedDevice;
}
