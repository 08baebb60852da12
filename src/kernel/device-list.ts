/**
 * A list of devices to be registered, as CSV: the whole file is checked before the first device is registered, and a device that
 * is registered already is left alone, so the same file may be used again until nothing is left to do. The columns are the
 * fields of a single registration; the command line and the console share this, so that one file means the same to both.
 */
import { readCsv } from './csv.ts';
import { isZone } from './zone.ts';

export const KEY_ALGORITHMS = ['ECDSA-P256', 'RSA-2048'] as const;
export const DATE_POLICIES = ['advance', 'strict'] as const;

/** What registering one device takes. */
export interface ListedDevice {
  readonly TaxpayerId: string;
  readonly AuthorityDeviceId: number;
  readonly SerialNumber: string;
  readonly ActivationKey: string;
  readonly KeyAlgorithm?: (typeof KEY_ALGORITHMS)[number];
  readonly Zone?: string;
  readonly MaintenanceStart?: string;
  readonly DatePolicy?: (typeof DATE_POLICIES)[number];
  readonly AdvanceLimitSeconds?: number;
  readonly FutureLimitSeconds?: number;
  readonly LastGlobalCounter?: number;
}

interface Column {
  readonly isGood: (text: string) => boolean;
  readonly expected: string;
  readonly isNumber?: true;
  readonly isRequired?: true;
}

const whole = (minimum: number, maximum: number, words = '') => ({
  isGood: (text: string) => /^\d{1,10}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum,
  expected: `a whole number from ${minimum} to ${maximum}${words}`,
  isNumber: true as const,
});
const oneOf = (words: readonly string[]) => ({
  isGood: (text: string) => words.includes(text),
  expected: words.join(' or '),
});
const MAX_INTEGER = 2_147_483_647;
const ONE_DAY_SECONDS = 86_400;

export const DEVICE_COLUMNS: Readonly<Record<keyof ListedDevice, Column>> = {
  TaxpayerId: {
    isGood: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text),
    expected: 'the id of a taxpayer, such as 0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47',
    isRequired: true,
  },
  AuthorityDeviceId: { ...whole(1, MAX_INTEGER), isRequired: true },
  SerialNumber: {
    isGood: (text) => text.length >= 1 && text.length <= 20,
    expected: '1 to 20 characters',
    isRequired: true,
  },
  ActivationKey: {
    isGood: (text) => text.length === 8,
    expected: '8 characters; a spreadsheet drops leading zeros unless the column is text',
    isRequired: true,
  },
  KeyAlgorithm: oneOf(KEY_ALGORITHMS),
  Zone: { isGood: (text) => text.length <= 60 && isZone(text), expected: 'an IANA time zone, such as Africa/Harare' },
  MaintenanceStart: {
    isGood: (text) => /^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(text),
    expected: 'a time of day with two digits each, such as 02:00',
  },
  DatePolicy: oneOf(DATE_POLICIES),
  AdvanceLimitSeconds: whole(0, ONE_DAY_SECONDS),
  FutureLimitSeconds: whole(0, ONE_DAY_SECONDS),
  LastGlobalCounter: whole(0, MAX_INTEGER),
};
export const DEVICE_COLUMN_NAMES = Object.keys(DEVICE_COLUMNS) as (keyof ListedDevice)[];

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
    DEVICE_COLUMNS[name].isRequired && !names.includes(name) && !(name === 'TaxpayerId' && hasTaxpayer);
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
    const { isGood, expected, isNumber, isRequired } = DEVICE_COLUMNS[name];
    const text = given.get(name) ?? '';
    if (text === '' && !isRequired) return [];
    // What was in the cell is not repeated: an activation key must not end up in a log.
    if (!isGood(text)) report(name, `${expected}${text === '' ? '; it is empty' : ''}`);
    return [[name, isNumber ? Number(text) : text]];
  });
  return Object.fromEntries(fields) as unknown as ListedDevice;
}
