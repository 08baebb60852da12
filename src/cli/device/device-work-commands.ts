import { text } from 'node:stream/consumers';
import { registerDevice } from '../../contract/fiscal/device.ts';
import { DEVICE_COLUMN_NAMES, isRequired } from '../../contract/fiscal/device-list.ts';
import { DECISIONS, decideReceipt, resumeDevice } from '../../contract/fiscal/device-work.ts';
import { REGISTRATION } from '../../contract/shared/values.ts';
import { openService, type Service } from '../shared/client.ts';
import {
  CONNECTION,
  type Command,
  given,
  type Invocation,
  refuseBoth,
  requiredText,
  taxpayerOption,
  wholeNumber,
  wordOption,
} from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { DEVICE_OPTION, deviceId, deviceOption, printDevice, settingsOf } from './device-commands.ts';
import { registerList } from './register-list.ts';

const ONE_DEVICE_ONLY = [
  'serial',
  'activation-key',
  'zone',
  'maintenance-start',
  'date-policy',
  'advance-limit',
].concat(['future-limit', 'key-algorithm', 'last-counter', 'again']);
const OPTIONAL_COLUMNS = DEVICE_COLUMN_NAMES.filter((name) => !isRequired(name));

/** What an operator does with a device and its place at the authority. */
export const deviceWorkCommands: readonly Command[] = [
  {
    name: 'device register',
    summary: 'Register a device with the tax authority, or all those of a list. (operator)',
    arguments: ['[ID]'],
    options: {
      taxpayer: { value: 'ID', help: 'whose device it is; with --csv, of the rows that name none' },
      serial: { value: 'NUMBER', help: 'its serial number, as registered at the authority' },
      'activation-key': { value: 'KEY', help: 'from the authority; - reads it from standard input' },
      zone: { value: 'ZONE', help: 'IANA time zone (Africa/Harare)' },
      'maintenance-start': { value: 'HH:MM', help: 'local time at which the daily two-hour window begins (02:00)' },
      'date-policy': { value: 'POLICY', help: 'advance (default): move late dates forward; strict: refuse them' },
      'advance-limit': { value: 'SECONDS', help: 'how far a date may be moved (300)' },
      'future-limit': { value: 'SECONDS', help: 'how far in the future a date may be (120)' },
      'key-algorithm': { value: 'NAME', help: 'ECDSA-P256 (default) or RSA-2048' },
      'last-counter': { value: 'N', help: "the last receipt number, if it is higher than the authority's" },
      again: { help: 'replace the certificate although the authority is not known to refuse it' },
      csv: { value: 'FILE', help: 'register every device of this list (- is standard input)' },
      check: { help: 'with --csv: check the list and say what is to be done, but register nothing' },
      results: { value: 'FILE', help: 'with --csv: write what became of each row, as CSV' },
      ...CONNECTION,
    },
    details: `The service creates the key pair, which never leaves it. An activation key works once: after a failure, run
the same command again, and it continues where it stopped. The first fiscal day is opened immediately.

A registered device whose certificate has expired or is no longer accepted by the authority is registered again in the
same way, with a fresh activation key: its key pair, chain, open day and settings stay.

A list has a first line with the names of its columns: AuthorityDeviceId, SerialNumber, ActivationKey, TaxpayerId (or
--taxpayer) and, if you like, ${OPTIONAL_COLUMNS.slice(0, 4).join(', ')},
${OPTIONAL_COLUMNS.slice(4).join(', ')}.
It is checked as a whole before the first device is registered. What is registered already is skipped.`,
    examples: [
      'tillseal device register 1002 --taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3 --serial SN-2 --activation-key DEMO1002',
      'cat key.txt | tillseal device register 1002 --taxpayer … --serial SN-2 --activation-key -',
      'tillseal device register --csv devices.csv --taxpayer 019a83c5-6f1e-7d20-9c4b-2f5d7a90b1c3 --results results.csv',
    ],
    run: async (invocation) => {
      const list = invocation.text('csv');
      if (list !== undefined) return registerFrom(invocation, list);
      const id = deviceId(invocation.words[0], undefined);
      const taxpayer = taxpayerOption(invocation);
      if (taxpayer === undefined) throw usage('--taxpayer is missing.', 'See the ids: tillseal taxpayer list');
      const body = {
        TaxpayerId: taxpayer,
        AuthorityDeviceId: id,
        SerialNumber: requiredText(invocation, 'serial', 'SN-0002'),
        ActivationKey: await activationKey(invocation),
        ...settingsOf(invocation),
        ...given({
          KeyAlgorithm: wordOption(invocation, 'key-algorithm', REGISTRATION.KeyAlgorithm.enum),
          LastGlobalCounter: wholeNumber(invocation, 'last-counter'),
          Again: invocation.isSet('again') || undefined,
        }),
      };
      const service = await openService(invocation, 'operator');
      invocation.terminal.progress('Asking the authority for a certificate …');
      return printDevice(invocation, await service.call(registerDevice, { body }));
    },
  },
  {
    name: 'device resume',
    summary: 'Continue now with what waits for the authority. (operator)',
    arguments: ['[ID]'],
    details: 'Ends a pause or stop of the device and tries again immediately.',
    examples: ['tillseal device resume 1001'],
    run: (invocation) =>
      request(invocation, invocation.words[0], 'Going on.', (service, params) =>
        service.call(resumeDevice, { params }),
      ),
  },
  {
    name: 'receipt decide',
    summary: 'Decide about a receipt that holds up its device. (operator)',
    arguments: ['GLOBAL-COUNTER', 'DECISION'],
    options: {
      'authority-receipt': { value: 'NUMBER', help: "with take-as-accepted: its number in the authority's portal" },
      ...DEVICE_OPTION,
      ...CONNECTION,
    },
    details: `DECISION is one of
  retry                 send it again as it is
  retry-without-buyer   send it without the buyer, which is not part of the signature
  take-as-accepted      the authority has it: --authority-receipt is its number there
  give-up               keep it as evidence and submit the receipts after it
See which receipts wait for a decision: tillseal alerts`,
    examples: [
      'tillseal receipt decide 17 retry --device 1001',
      'tillseal receipt decide 17 take-as-accepted --authority-receipt 7001 --device 1001',
      'tillseal receipt decide 17 give-up --device 1001',
    ],
    run: (invocation) => {
      const [counter = '', word = ''] = invocation.words;
      if (!/^[1-9]\d{0,9}$/.test(counter)) throw usage(`A global counter is a whole number, got "${counter}".`);
      const Decision = DECISIONS.find((decision) => decision === word);
      if (Decision === undefined) throw usage(`The decision is one of ${DECISIONS.join(', ')}, got "${word}".`);
      const done = `Decided: ${Decision} for receipt ${counter}.`;
      return request(invocation, undefined, done, (service, { authorityDeviceId }) =>
        service.call(decideReceipt, {
          params: { authorityDeviceId, globalCounter: Number(counter) },
          body: { Decision, ...given({ AuthorityReceiptId: invocation.text('authority-receipt') }) },
        }),
      );
    },
  },
];

/** Of a list each row says what it is; an option that would change all of them is a mistake. */
function registerFrom(invocation: Invocation, list: string): Promise<void> {
  const [id] = invocation.words;
  if (id !== undefined) throw usage(`Either the device ${id} or the list ${list}: give one of them.`);
  for (const option of ONE_DEVICE_ONLY) refuseBoth(invocation, 'csv', option);
  return registerList(invocation, list);
}

/** Asks for something to be done with a device, and says what it means. */
export async function request(
  invocation: Invocation,
  word: string | undefined,
  done: string,
  send: (service: Service, params: { readonly authorityDeviceId: number }) => Promise<{ readonly text: string }>,
) {
  const id = word === undefined ? await deviceOption(invocation) : deviceId(word, undefined);
  const service = await openService(invocation, 'operator');
  const answer = await send(service, { authorityDeviceId: id });
  invocation.terminal.print(invocation.isSet('json') ? answer.text : `${done} See how it goes: tillseal device ${id}`);
}

/** A key that works once is worth keeping out of the shell's history. */
export async function activationKey(invocation: Invocation): Promise<string> {
  const key = requiredText(invocation, 'activation-key', 'DEMO1002');
  return key === '-' ? (await text(invocation.terminal.input)).trim() : key;
}
