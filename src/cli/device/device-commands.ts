import * as contract from '../../contract/fiscal/device.ts';
import { REGISTRATION } from '../../contract/shared/values.ts';
import { openService } from '../shared/client.ts';
import {
  CONNECTION,
  type Command,
  given,
  type Invocation,
  type Options,
  printsJson,
  refuseBoth,
  taxpayerOption,
  wholeNumber,
  wordOption,
} from '../shared/command.ts';
import { chooseConnection } from '../shared/connection.ts';
import { usage } from '../shared/failure.ts';
import { PAGING, printListOf } from '../shared/pages.ts';
import { didYouMean } from '../shared/suggestion.ts';
import { type Column, printFacts } from '../shared/table.ts';
import { deviceFacts, type ShownDevice, stateWord } from './device-view.ts';

const COLUMNS: readonly Column<contract.ManagedDevice>[] = [
  { title: 'DEVICE', value: (device) => String(device.AuthorityDeviceId), isNumber: true },
  { title: 'SERIAL NUMBER', value: (device) => device.SerialNumber },
  { title: 'STATE', value: stateWord },
  { title: 'WAITING', value: (device) => String(device.Submission.WaitingReceipts), isNumber: true },
  { title: 'DAY', value: (device) => String(device.FiscalDay.Number), isNumber: true },
  { title: 'DAY STATE', value: (device) => device.FiscalDay.State },
  { title: 'GLOBAL', value: (device) => String(device.GlobalCounter), isNumber: true },
  { title: 'MAINTENANCE', value: (device) => device.MaintenanceStart },
  { title: 'ZONE', value: (device) => device.Zone },
  { title: 'DATES', value: (device) => device.DatePolicy },
  { title: 'TAXPAYER', value: (device) => device.TaxpayerId },
];

/** As it was answered, to its taxpayer or to an operator. */
export interface FoundDevice {
  readonly value: ShownDevice;
  readonly text: string;
  readonly zone: string;
}

/** A device is shown to its taxpayer, or to an operator who has no token of one. */
export async function fetchDevice(invocation: Invocation, word: string | undefined): Promise<FoundDevice> {
  const { token, operatorToken, deviceId: known } = await chooseConnection(invocation);
  const id = deviceId(word, known);
  const isOperator = token === undefined && operatorToken !== undefined;
  const service = await openService(invocation, isOperator ? 'operator' : 'taxpayer');
  const params = { authorityDeviceId: id };
  return isOperator
    ? service.call(contract.getManagedDevice, { params })
    : service.call(contract.getDevice, { params });
}

/** The id that was typed, or the one the profile knows. */
export function deviceId(word: string | undefined, known: number | undefined): number {
  if (word === undefined && known === undefined) {
    throw usage(
      'Which device? Neither the command nor the profile names one.',
      'For example: tillseal device 1001, or --device 1001',
      'Or keep it in the profile: tillseal profile add NAME --url … --device 1001',
    );
  }
  const id = word ?? String(known);
  if (/^[1-9]\d{0,9}$/.test(id)) return Number(id);
  throw usage(
    `The ID of a device is a whole number, got "${id}".${didYouMean(id, ['list', 'set', 'register', 'resume'])}`,
  );
}

export function printDevice(invocation: Invocation, { value, text, zone }: FoundDevice): void {
  if (!printsJson(invocation, text)) printFacts(invocation.terminal, deviceFacts(value, zone, new Date()));
}

/** The id given with --device, or the one of the demo or profile. */
export async function deviceOption(invocation: Invocation): Promise<number> {
  const { deviceId: known } = await chooseConnection(invocation);
  return deviceId(invocation.text('device'), known);
}

export const DEVICE_OPTION: Options = {
  device: { value: 'ID', help: 'of this device; that of the demo or profile by default' },
};

/** What is settled of a device when it is registered, and can be changed later. */
export function settingsOf(invocation: Invocation) {
  return given({
    Zone: invocation.text('zone'),
    MaintenanceStart: invocation.text('maintenance-start'),
    DatePolicy: wordOption(invocation, 'date-policy', REGISTRATION.DatePolicy.enum),
    AdvanceLimitSeconds: wholeNumber(invocation, 'advance-limit'),
    FutureLimitSeconds: wholeNumber(invocation, 'future-limit'),
  });
}

function changeOf(invocation: Invocation): contract.DeviceChange {
  refuseBoth(invocation, 'block', 'unblock');
  const BlockedReason = invocation.isSet('unblock') ? null : invocation.text('block');
  const change = { ...settingsOf(invocation), ...given({ BlockedReason }) };
  if (Object.keys(change).length === 0) {
    throw usage('Nothing to set: give at least one of the options.', 'See: tillseal device set --help');
  }
  return change;
}

export const deviceCommands: readonly Command[] = [
  {
    name: 'device',
    summary:
      'Show a device: whether its day is open, what is waiting or has stopped it, its maintenance window and its taxes.',
    arguments: ['[ID]'],
    details: `Without ID it is the device of the demo, or the one kept in the profile. 
Times are shown in the zone of the installation, with its offset.`,
    examples: ['tillseal device', 'tillseal device 1001', 'tillseal device 1001 --json | jq .FiscalDay'],
    run: async (invocation) => {
      return printDevice(invocation, await fetchDevice(invocation, invocation.words[0]));
    },
  },
  {
    name: 'device list',
    summary: 'List the devices of the installation. (operator)',
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
      printListOf(invocation, await openService(invocation, 'operator'), contract.listDevices, {
        given: {
          query: given({ TaxpayerId: taxpayerOption(invocation), IsStopped: invocation.isSet('stopped') || undefined }),
        },
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
      'future-limit': { value: 'SECONDS', help: 'how far in the future a date may be' },
      block: { value: 'REASON', help: 'seal nothing more, for this reason' },
      unblock: { help: 'end this block; no other hold of the device' },
      ...CONNECTION,
    },
    examples: [
      'tillseal device set 1001 --maintenance-start 02:30',
      'tillseal device set 1001 --date-policy strict --future-limit 60',
      'tillseal device set 1001 --block "stolen, police report 4711"',
      'tillseal device set 1001 --unblock',
    ],
    run: async (invocation) => {
      const params = { authorityDeviceId: deviceId(invocation.words[0], undefined) };
      const body = changeOf(invocation);
      const service = await openService(invocation, 'operator');
      return printDevice(invocation, await service.call(contract.changeDevice, { params, body }));
    },
  },
];
