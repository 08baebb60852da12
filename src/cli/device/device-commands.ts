import * as contract from '../../contract/fiscal/device.ts';
import { derived } from '../derived/command.ts';
import { openService } from '../shared/client.ts';
import type { Command, Invocation } from '../shared/command.ts';
import { chooseConnection } from '../shared/connection.ts';
import { knownDevice } from '../shared/device-option.ts';
import { deviceFacts, stateWord } from './device-view.ts';

/** An operator who has no token of the taxpayer. */
export async function isOperator(invocation: Invocation): Promise<boolean> {
  const { token, operatorToken } = await chooseConnection(invocation);
  return token === undefined && operatorToken !== undefined;
}

/** A device is shown to its taxpayer, or to an operator who has no token of one. */
export async function fetchDevice(invocation: Invocation, word: string | undefined): Promise<contract.Device> {
  const params = { authorityDeviceId: await knownDevice(invocation, word) };
  return (await isOperator(invocation))
    ? (await (await openService(invocation, 'operator')).call(contract.getManagedDevice, { params })).value
    : (await (await openService(invocation, 'taxpayer')).call(contract.getDevice, { params })).value;
}

export const factsNow = (device: contract.Device, zone: string) => deviceFacts(device, zone, new Date());

/** What is settled of a device when it is registered, and can be changed later. */
export const SETTINGS = {
  Zone: 'IANA time zone, such as Africa/Harare',
  MaintenanceStart: '--maintenance-start HH:MM: local time at which the daily two-hour window begins',
  DatePolicy: 'advance: move late dates forward; strict: refuse them',
  AdvanceLimitSeconds: 'how far a date may be moved',
  FutureLimitSeconds: 'how far in the future a date may be',
} as const;

export const deviceCommands: readonly Command[] = [
  derived('device', contract.getDevice, {
    summary:
      'Show a device: whether its day is open, what is waiting or has stopped it, its maintenance window and its taxes.',
    words: ['[authorityDeviceId]'],
    details: `Without ID it is the device of the demo, or the one kept in the profile.
Times are shown in the zone of the installation, with its offset.`,
    instead: async (invocation) => ((await isOperator(invocation)) ? contract.getManagedDevice : undefined),
    facts: factsNow,
    examples: ['', '1001', '1001 --json | jq .FiscalDay'],
  }),
  derived('device list', contract.listDevices, {
    flags: { IsStopped: '--stopped: only those that a refused receipt has stopped' },
    columns: [
      { DEVICE: 'AuthorityDeviceId', 'SERIAL NUMBER': 'SerialNumber', STATE: stateWord },
      { WAITING: 'Submission.WaitingReceipts', DAY: 'FiscalDay.Number', 'DAY STATE': 'FiscalDay.State' },
      { GLOBAL: 'GlobalCounter', MAINTENANCE: 'MaintenanceStart', ZONE: 'Zone', DATES: 'DatePolicy' },
      'TaxpayerId',
    ],
    examples: ['', '--stopped', '--taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3'],
  }),
  derived('device set', contract.changeDevice, {
    flags: { ...SETTINGS, BlockedReason: '--block REASON: seal nothing more, for this reason' },
    negatives: { BlockedReason: '--unblock: end this block; no other hold of the device' },
    facts: factsNow,
    examples: [
      '--maintenance-start 02:30',
      '--date-policy strict --future-limit 60',
      '--block "stolen, police report 4711"',
      '--unblock',
    ],
  }),
];
