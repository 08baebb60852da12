import type { JsonView } from './json-view.ts';
import { distanceTo } from './moment.ts';
import { percentText } from './receipt-view.ts';
import type { Fact } from './table.ts';

/** A device at a glance: can it seal now, until when, and what it will do with dates. */
export function deviceFacts(device: JsonView, now: Date): Fact[] {
  const zone = device.text('Zone');
  const day = device.object('FiscalDay');
  const window = device.object('NextMaintenanceWindow');
  const certificate = device.optional('CertificateValidTill');
  return [
    ['Device', `${device.text('AuthorityDeviceId')} (${device.text('SerialNumber')})`],
    ['Taxpayer', device.optional('TaxpayerId')],
    ['State', stateText(device)],
    ['Waiting', waitingText(device.object('Submission'), now)],
    ['Fiscal day', day && dayText(day, now)],
    ['Red receipts', day?.optional('RedReceipts') || undefined],
    ['Global counter', device.text('GlobalCounter')],
    ['Last receipt', device.momentOfWall('LastReceiptDate', zone)],
    ['Maintenance', window && windowText(window, now)],
    ['Zone', zone],
    ['Dates', datesText(device)],
    ['Taxes', device.list('ApplicableTaxes').map(taxText).join('\n')],
    [
      'Certificate',
      certificate && `valid until ${device.moment('CertificateValidTill')}, ${distanceTo(certificate, now)}`,
    ],
  ];
}

function stateText(device: JsonView): string {
  const reason = device.optional('BlockedReason');
  const blocked = reason === undefined ? device.text('State') : `${device.text('State')}: ${reason}`;
  const stop = isStopped(device) ? stopText(device) : undefined;
  return [reason === undefined && stop !== undefined ? undefined : blocked, stop].filter(Boolean).join('\n');
}

function stopText(device: JsonView): string {
  const submission = device.object('Submission');
  const counter = submission?.object('StoppedBy')?.text('GlobalCounter') ?? 'GLOBAL-COUNTER';
  const decide = `tillseal receipt decide ${counter} retry --device ${device.text('AuthorityDeviceId')}`;
  return `Stopped: ${submission?.text('Error')}\nAn operator decides: ${decide}`;
}

function isStopped(device: JsonView): boolean {
  return device.object('Submission')?.isTrue('IsStopped') ?? false;
}

/** One word for the list: a stopped device never reads as active. */
export function stateWord(device: JsonView): string {
  return device.text('State') === 'Active' && isStopped(device) ? 'Stopped' : device.text('State');
}

function waitingText(submission: JsonView | undefined, now: Date): string | undefined {
  const since = submission?.optional('WaitingSince');
  if (submission === undefined || since === undefined) return undefined;
  const error = submission.isTrue('IsStopped') ? undefined : submission.optional('Error');
  const length = `${countText(submission.text('WaitingReceipts'))}, the first since ${submission.moment('WaitingSince')} (${distanceTo(since, now)})`;
  return error === undefined ? length : `${length}: ${error}`;
}

function dayText(day: JsonView, now: Date): string {
  const openedAt = day.optional('OpenedAt');
  const endsAt = day.optional('EndsAt');
  const state = `${day.text('Number')}, ${day.text('State')}`;
  const opensAt = day.optional('OpensAt');
  if (opensAt !== undefined) {
    return `${state}; the next one opens at ${day.moment('OpensAt')} (${distanceTo(opensAt, now)})`;
  }
  if (openedAt === undefined || endsAt === undefined) return state;
  return (
    `${state} since ${day.moment('OpenedAt')}, ${countText(day.text('ReceiptCount'))}; ` +
    `must close by ${day.moment('EndsAt')} (${distanceTo(endsAt, now)})`
  );
}

function countText(count: string): string {
  return count === '1' ? '1 receipt' : `${count} receipts`;
}

function windowText(window: JsonView, now: Date): string {
  const start = window.text('Start');
  const isOn = Date.parse(start) <= now.getTime() && now.getTime() < Date.parse(window.text('End'));
  const distance = isOn ? 'on now: nothing is sealed' : distanceTo(start, now);
  return `${window.moment('Start')} to ${window.moment('End').slice(11)} (${distance})`;
}

function datesText(device: JsonView): string {
  const policy = device.text('DatePolicy');
  const limit = policy === 'advance' ? `, moved by at most ${device.text('AdvanceLimitSeconds')} s` : ', never moved';
  return `${policy}${limit}; refused when more than ${device.text('FutureLimitSeconds')} s in the future`;
}

function taxText(tax: JsonView): string {
  const till = tax.optional('ValidTill');
  return `${percentText(tax)} ${tax.text('Name')} (tax ${tax.text('TaxId')})${till === undefined ? '' : `, until ${till}`}`;
}
