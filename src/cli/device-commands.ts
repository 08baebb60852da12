import { type Answer, openService } from './client.ts';
import {
  CONNECTION,
  type Command,
  type Invocation,
  type Options,
  refuseBoth,
  taxpayerOption,
  wholeNumber,
} from './command.ts';
import { chooseConnection } from './connection.ts';
import { deviceFacts, stateWord } from './device-view.ts';
import { EXIT, type ExitCode, usage } from './failure.ts';
import type { JsonView } from './json-view.ts';
import { PAGING, printList } from './pages.ts';
import { didYouMean } from './suggestion.ts';
import { type Column, printFacts } from './table.ts';

const COLUMNS: readonly Column<JsonView>[] = [
  { title: 'DEVICE', value: (device) => device.text('AuthorityDeviceId'), isNumber: true },
  { title: 'SERIAL NUMBER', value: (device) => device.text('SerialNumber') },
  { title: 'STATE', value: stateWord },
  { title: 'WAITING', value: (device) => device.object('Submission')?.text('WaitingReceipts') ?? '', isNumber: true },
  { title: 'DAY', value: (device) => device.object('FiscalDay')?.text('Number') ?? '', isNumber: true },
  { title: 'DAY STATE', value: (device) => device.object('FiscalDay')?.text('State') ?? '' },
  { title: 'GLOBAL', value: (device) => device.text('GlobalCounter'), isNumber: true },
  { title: 'MAINTENANCE', value: (device) => device.text('MaintenanceStart') },
  { title: 'ZONE', value: (device) => device.text('Zone') },
  { title: 'DATES', value: (device) => device.text('DatePolicy') },
  { title: 'TAXPAYER', value: (device) => device.text('TaxpayerId') },
];

/** A device is shown to its taxpayer, or to an operator who has no token of one. */
export async function fetchDevice(invocation: Invocation, word: string | undefined): Promise<Answer> {
  const { token, operatorToken, deviceId: known } = await chooseConnection(invocation);
  const id = deviceId(word, known);
  const isOperator = token === undefined && operatorToken !== undefined;
  const service = await openService(invocation, isOperator ? 'operator' : 'taxpayer');
  return service.send('GET', `${isOperator ? '/api/admin/devices' : '/api/device'}/${id}`);
}

/** The id that was typed, or the one the profile knows. */
export function deviceId(word: string | undefined, known: number | undefined): string {
  if (word === undefined && known === undefined) {
    throw usage(
      'Which device? Neither the command nor the profile names one.',
      'For example: tillseal device 1001, or --device 1001',
      'Or keep it in the profile: tillseal profile add NAME --url … --device 1001',
    );
  }
  const id = word ?? String(known);
  if (/^[1-9]\d{0,9}$/.test(id)) return id;
  throw usage(
    `The ID of a device is a whole number, got "${id}".${didYouMean(id, ['list', 'set', 'register', 'resume'])}`,
  );
}

export function printDevice(invocation: Invocation, text: string, view: () => JsonView): ExitCode {
  if (invocation.isSet('json')) invocation.terminal.print(text);
  else printFacts(invocation.terminal, deviceFacts(view(), new Date()));
  return EXIT.done;
}

/** The id given with --device, or the one of the demo or profile. */
export async function deviceOption(invocation: Invocation): Promise<string> {
  const { deviceId: known } = await chooseConnection(invocation);
  return deviceId(invocation.text('device'), known);
}

export const DEVICE_OPTION: Options = {
  device: { value: 'ID', help: 'of this device; that of the demo or profile by default' },
};

function changeOf(invocation: Invocation): Record<string, string | number | null | undefined> {
  refuseBoth(invocation, 'block', 'unblock');
  const change = {
    Zone: invocation.text('zone'),
    MaintenanceStart: invocation.text('maintenance-start'),
    DatePolicy: invocation.text('date-policy'),
    AdvanceLimitSeconds: wholeNumber(invocation, 'advance-limit'),
    FutureLimitSeconds: wholeNumber(invocation, 'future-limit'),
    BlockedReason: invocation.isSet('unblock') ? null : invocation.text('block'),
  };
  if (Object.values(change).every((value) => value === undefined)) {
    throw usage('Nothing to set: give at least one of the options.', 'See: tillseal device set --help');
  }
  return change;
}

export const deviceCommands: readonly Command[] = [
  {
    name: 'device',
    summary: 'Show a device: is its day open, what waits or stopped it, when is maintenance, which taxes apply.',
    arguments: ['[ID]'],
    options: CONNECTION,
    details: `Without ID it is the device of the demo, or the one kept in the profile. 
Times are shown in the zone of the installation, with its offset.`,
    examples: ['tillseal device', 'tillseal device 1001', 'tillseal device 1001 --json | jq .FiscalDay'],
    run: async (invocation) => {
      const answer = await fetchDevice(invocation, invocation.words[0]);
      return printDevice(invocation, answer.text, answer.view);
    },
  },
  {
    name: 'device list',
    summary: 'List the devices of the installation. (operator)',
    arguments: [],
    options: {
      taxpayer: { value: 'ID', help: 'only of this taxpayer' },
      stopped: { help: 'only those that a refused receipt has stopped' },
      ...PAGING,
      ...CONNECTION,
    },
    examples: [
      'tillseal device list',
      'tillseal device list --stopped',
      'tillseal device list --taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3',
    ],
    run: async (invocation) =>
      printList(invocation, await openService(invocation, 'operator'), {
        path: '/api/admin/devices',
        query: { TaxpayerId: taxpayerOption(invocation), IsStopped: invocation.isSet('stopped') ? 'true' : undefined },
        key: 'Devices',
        noun: 'devices',
        columns: COLUMNS,
      }),
  },
  {
    name: 'device set',
    summary: "Change a device's settings; block and unblock it. (operator)",
    arguments: ['ID'],
    options: {
      zone: { value: 'ZONE', help: 'IANA time zone, such as Africa/Harare' },
      'maintenance-start': { value: 'HH:MM', help: 'local time at which the daily two-hour window begins' },
      'date-policy': { value: 'POLICY', help: 'advance: move late dates forward; strict: refuse them' },
      'advance-limit': { value: 'SECONDS', help: 'how far a date may be moved' },
      'future-limit': { value: 'SECONDS', help: 'how far ahead of now a date may be' },
      block: { value: 'REASON', help: 'seal nothing more, for this reason' },
      unblock: { help: 'seal again' },
      ...CONNECTION,
    },
    examples: [
      'tillseal device set 1001 --maintenance-start 02:30',
      'tillseal device set 1001 --date-policy strict --future-limit 60',
      'tillseal device set 1001 --block "stolen, police report 4711"',
      'tillseal device set 1001 --unblock',
    ],
    run: async (invocation) => {
      const id = deviceId(invocation.words[0], undefined);
      const change = changeOf(invocation);
      const service = await openService(invocation, 'operator');
      const answer = await service.send('PATCH', `/api/admin/devices/${id}`, JSON.stringify(change));
      return printDevice(invocation, answer.text, answer.view);
    },
  },
];
