import { setTimeout as delay } from 'node:timers/promises';
import { verifyDevice } from '../../contract/console/proof.ts';
import { listAlerts } from '../../contract/fiscal/alert.ts';
import { listDays } from '../../contract/fiscal/day.ts';
import { type DeviceRegistration, getManagedDevice, registerDevice } from '../../contract/fiscal/device.ts';
import { getChain } from '../../contract/fiscal/device-chain.ts';
import { requestDay } from '../../contract/fiscal/device-work.ts';
import { getManagedReceipt } from '../../contract/fiscal/managed-receipt.ts';
import { calculateReceipt, signReceipt } from '../../contract/fiscal/receipt.ts';
import { equals } from '../../kernel/decimal.ts';
import { TAX_ROUNDINGS } from '../../kernel/tax.ts';
import type { Service } from '../shared/client.ts';
import { CommandFailure } from '../shared/failure.ts';
import { trialReceipts } from './trial-receipts.ts';

/** One thing that was tried: what should be, and what is. */
export interface Check {
  readonly Agrees: boolean;
  readonly What: string;
  readonly Expected: string;
  readonly Found: string;
}

/** What the service answered, word for word, to be kept. */
export interface Answered {
  readonly title: string;
  readonly text: string;
}

export interface Trial {
  readonly checks: readonly Check[];
  readonly answers: readonly Answered[];
}

export interface TrialOptions {
  readonly operator: Service;
  readonly taxpayer: Service;
  readonly deviceId: number;
  /** Undefined: it is registered already. */
  readonly registration: DeviceRegistration | undefined;
  readonly currency: string;
  readonly patienceMs: number;
  readonly progress: (line: string) => void;
}

const LOOK_EVERY_MS = 1000;

/** From registration to a closed day. What fails is written down like everything else; what depends on it is not tried. */
export async function runTrial(options: TrialOptions): Promise<Trial> {
  const trial = { checks: [] as Check[], answers: [] as Answered[] };
  try {
    await steps(options, trial);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const Found = [error.message, ...error.details].join(' ');
    trial.checks.push({ Agrees: false, What: 'The trial goes through to its end', Expected: 'yes', Found });
  }
  return trial;
}

async function steps(options: TrialOptions, { checks, answers }: { checks: Check[]; answers: Answered[] }) {
  const { operator, taxpayer, deviceId, registration, progress } = options;
  const params = { authorityDeviceId: deviceId };
  const check = (what: string, expected: unknown, found: unknown) =>
    checks.push({ Agrees: expected === found, What: what, Expected: String(expected), Found: String(found) });
  const keep = (title: string, { text }: { readonly text: string }) => answers.push({ title, text });

  if (registration !== undefined) {
    progress('Registering the device …');
    keep('Registration', await operator.call(registerDevice, { body: registration }));
    check('The authority certifies the device', 'yes', 'yes');
  }
  progress('Waiting for the day to be opened …');
  const readDevice = () => operator.call(getManagedDevice, { params });
  const device = await until(options, readDevice, ({ value }) => value.FiscalDay.State === 'Opened');
  keep('Device before', device);
  check('The authority opens the day', 'Opened', device.value.FiscalDay.State);
  const day = device.value.FiscalDay.Number;

  let last = device.value.GlobalCounter;
  for (const { name, draft, half } of trialReceipts(device.value, options.currency, new Date())) {
    progress(`Sealing ${name} …`);
    const complete = await taxpayer.call(calculateReceipt, { body: draft });
    const signed = await taxpayer.call(signReceipt, { body: Buffer.from(complete.text) });
    last = signed.value.GlobalCounter;
    const place = { params: { ...params, globalCounter: last } };
    // The signature is judged a moment later where its certificate has to be fetched first.
    const receipt = await until(
      options,
      () => operator.call(getManagedReceipt, place),
      ({ value: { State: state, Submission: submission } }) =>
        state === 'Submitted' ? typeof submission?.IsAuthoritySignatureValid === 'boolean' : state !== 'Pending',
    );
    keep(`Receipt ${last}: ${name}`, receipt);
    const { State, Submission } = receipt.value;
    check(`Receipt ${last}, ${name}: accepted`, 'Submitted', State);
    const remarks = (Submission?.Remarks ?? []).map(({ Code, Colour, Message }) => `${Code} (${Colour}): ${Message}`);
    check(`Receipt ${last}: remarks of the authority`, 'none', remarks.join('; ') || 'none');
    check(`Receipt ${last}: the authority's signature verifies`, true, Submission?.IsAuthoritySignatureValid ?? null);
    if (half !== undefined && State === 'Submitted') {
      const isEven = signed.value.Taxes.every(({ TaxAmount }) => equals(TaxAmount, half.even));
      const [set, other] = isEven ? TAX_ROUNDINGS : TAX_ROUNDINGS.toReversed();
      const isRemarked = Submission?.Remarks.some(({ Code }) => Code === 'RCPT026') === true;
      check('Exact halves: TAX_ROUNDING, and what the authority takes', set, isRemarked ? other : set);
    }
  }

  progress('Closing the day …');
  await operator.call(requestDay, { params, body: { Action: 'close' } });
  const ENDED = new Set(['Closed', 'CloseFailed']);
  const after = await until(options, readDevice, ({ value }) => ENDED.has(value.FiscalDay.State));
  keep('Device after', after);
  check('The authority closes the day', 'Closed', after.value.FiscalDay.State);
  const days = await operator.call(listDays, { params, query: { Limit: 1 } });
  keep('Day', days);
  const [closed] = days.value.Days;
  check(
    'The day was closed by the device, with its own counters',
    'Auto',
    closed?.Reconciliation ?? closed?.CloseError,
  );

  const status = await operator.call(getChain, { params });
  keep('What GetStatus said last', status);
  const { Authority } = status.value;
  check('GetStatus: last receipt number', last, Authority?.GlobalCounter);
  check('GetStatus: last day', day, Authority?.FiscalDayNumber);
  check('GetStatus: state of the day', 'FiscalDayClosed', Authority?.DayStatus);

  const proof = await until(
    options,
    () => operator.call(verifyDevice, { params, query: { FromDay: day } }),
    ({ value }) => value.UnprovenSignatures === 0,
  );
  keep('Proof of what is stored', proof);
  check('Everything that is stored holds', 'yes', proof.value.Fault?.Detail ?? 'yes');
  check("The authority's signatures without a proof, the day's included", 0, proof.value.UnprovenSignatures);
  const alerts = await operator.call(listAlerts, { query: { TaxpayerId: device.value.TaxpayerId, Limit: 200 } });
  const open = alerts.value.Alerts.filter(({ AuthorityDeviceId }) => AuthorityDeviceId === deviceId);
  check(
    'Open alerts of the device',
    'none',
    open.map(({ Kind, Message }) => `${Kind}: ${Message}`).join('; ') || 'none',
  );
}

/** Looks until it is so, or patience ends: then as it is, which the comparison shows. */
async function until<T>({ patienceMs }: TrialOptions, look: () => Promise<T>, isSo: (found: T) => boolean): Promise<T> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    const found = await look();
    if (isSo(found) || performance.now() >= endMs) return found;
    await delay(LOOK_EVERY_MS);
  }
}
