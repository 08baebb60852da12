import { registerDevice } from '../../contract/fiscal/device.ts';
import { DEVICE_COLUMN_NAMES, isRequired } from '../../contract/fiscal/device-list.ts';
import { decideReceipt, giveUpDevice, resumeDevice } from '../../contract/fiscal/device-work.ts';
import { derived } from '../derived/command.ts';
import { CONNECTION, type Command, refuseBoth } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { typedOrRead } from '../shared/input.ts';
import { factsNow, SETTINGS } from './device-commands.ts';
import { registerList } from './register-list.ts';

const OPTIONAL_COLUMNS = DEVICE_COLUMN_NAMES.filter((name) => !isRequired(name));

/** What an operator asked for is done by the device, somewhat later. */
export const seeHow = (done: string, id: unknown) => `${done} See how it goes: tillseal device ${String(id)}`;

const registerOne = derived('device register', registerDevice, {
  words: ['[AuthorityDeviceId]'],
  flags: {
    ...SETTINGS,
    Zone: 'IANA time zone',
    TaxpayerId: 'whose device it is; with --csv, of the rows that name none',
    SerialNumber: '--serial NUMBER',
    ActivationKey: 'from the authority; - reads it from standard input',
    LastGlobalCounter: "--last-counter N: the last receipt number, if it is higher than the authority's",
  },
  amend: async ({ body }, { terminal }) => {
    const { ActivationKey: typed }: { ActivationKey?: string } = Object(body);
    if (typed !== undefined) Object.assign(body, { ActivationKey: await typedOrRead(terminal, typed) });
  },
  progress: 'Asking the authority for a certificate …',
  facts: factsNow,
});

const registerCommand: Command = {
  ...registerOne,
  summary: 'Register a device with the tax authority, or all those of a list. (operator)',
  options: {
    ...registerOne.options,
    csv: { value: 'FILE', help: 'register every device of this list (- is standard input)' },
    check: { help: 'with --csv: check the list and say what is to be done, but register nothing' },
    results: { value: 'FILE', help: 'with --csv: write what became of each row, as CSV' },
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
  run: (invocation) => {
    const [[id], list] = [invocation.words, invocation.text('csv')];
    if (list === undefined) return registerOne.run(invocation);
    // Of a list each row says what it is; an option that would change all of them is a mistake.
    if (id !== undefined) throw usage(`Either the device ${id} or the list ${list}: give one of them.`);
    for (const option of Object.keys(registerOne.options ?? {})) {
      if (option !== 'taxpayer' && !(option in CONNECTION)) refuseBoth(invocation, 'csv', option);
    }
    return registerList(invocation, list);
  },
};

/** What an operator does with a device and its place at the authority. */
export const deviceWorkCommands: readonly Command[] = [
  registerCommand,
  derived('device resume', resumeDevice, {
    summary: 'Continue now with what waits for the authority.',
    words: ['[authorityDeviceId]'],
    details: 'Ends a pause or stop of the device and tries again immediately.',
    say: ({ AuthorityDeviceId }) => seeHow('Going on.', AuthorityDeviceId),
    examples: ['1001'],
  }),
  derived('device give-up', giveUpDevice, {
    words: ['[authorityDeviceId]'],
    details:
      'Its day has to be closed and everything submitted. Its receipts stay; registered again it can be used again.',
    say: ({ AuthorityDeviceId }) => `Device ${AuthorityDeviceId} is given up.`,
    examples: ['1001'],
  }),
  derived('receipt decide', decideReceipt, {
    words: ['globalCounter', 'Decision'],
    flags: { AuthorityReceiptId: '--authority-receipt NUMBER' },
    details: `DECISION is one of
  retry                 send it again as it is
  retry-without-buyer   send it without the buyer, which is not part of the signature
  take-as-accepted      the authority has it: --authority-receipt is its number there
  give-up               keep it as evidence and submit the receipts after it
See which receipts wait for a decision: tillseal alerts`,
    say: ({ AuthorityDeviceId, GlobalCounter, Decision }) =>
      seeHow(`Decided: ${Decision} for receipt ${GlobalCounter}.`, AuthorityDeviceId),
    examples: [
      'tillseal receipt decide 17 retry --device 1001',
      'tillseal receipt decide 17 take-as-accepted --authority-receipt 7001 --device 1001',
      'tillseal receipt decide 17 give-up --device 1001',
    ],
  }),
];
