import type { Device, ManagedDevice } from '../../contract/fiscal/device.ts';
import type { TillBehind } from '../../contract/fiscal/till.ts';
import { distanceTo, momentIn, momentOfWall } from '../shared/moment.ts';
import { percent, shown } from '../shared/shown.ts';
import type { Fact } from '../shared/table.ts';

/** As its taxpayer or an operator sees it. */
export type ShownDevice = Device & Partial<ManagedDevice>;

/** A device at a glance: can it seal now, until when, and what it will do with dates. */
export function deviceFacts(device: ShownDevice, zone: string, now: Date): Fact[] {
  const { CertificateValidTill: certificate, LastReceiptDate: last } = device;
  return [
    ['Device', `${device.AuthorityDeviceId} (${device.SerialNumber})`],
    ['Taxpayer', device.TaxpayerId],
    ['State', stateText(device, zone)],
    ['Waiting', waitingText(device.Submission, zone, now)],
    ...device.TillsBehind.map((till): Fact => ['Till behind', `${till.TokenName}, ${tillText(till, zone)}`]),
    ['Fiscal day', dayText(device.FiscalDay, zone, now)],
    ['Red receipts', device.FiscalDay.RedReceipts.join(', ') || undefined],
    ['Global counter', String(device.GlobalCounter)],
    ['Last receipt', last === null ? shown(last) : momentOfWall(zone, last, device.Zone)],
    ['Maintenance', windowText(device.NextMaintenanceWindow, zone, now)],
    ['Zone', device.Zone],
    ['Dates', datesText(device)],
    ['Taxes', device.ApplicableTaxes.map((tax) => taxText(tax, zone)).join('\n')],
    ['Ended taxes', device.EndedTaxes.map((tax) => endedText(tax, zone)).join('\n') || undefined],
    [
      'Certificate',
      certificate === null ? undefined : `valid until ${momentIn(zone, certificate)}, ${distanceTo(certificate, now)}`,
    ],
  ];
}

function stateText(device: Device, zone: string): string {
  const { State, Holds: holds } = device;
  const stop = device.Submission.IsStopped ? stopText(device) : undefined;
  const lines = holds.map(
    ({ Kind, Reason, Since, EndedBy }) => `${Kind} since ${momentIn(zone, Since)}: ${Reason}\n  ${EndedBy}`,
  );
  if (holds.length === 0 && stop !== undefined) return stop;
  return [holds.length === 0 ? State : `${State}, nothing is sealed:`, ...lines, stop].filter(Boolean).join('\n');
}

function stopText({ AuthorityDeviceId, Submission }: Device): string {
  const counter = Submission.StoppedBy?.GlobalCounter ?? 'GLOBAL-COUNTER';
  const decide = `tillseal receipt decide ${counter} retry --device ${AuthorityDeviceId}`;
  return `Stopped: ${shown(Submission.Error)}\nAn operator decides: ${decide}`;
}

/** One word for the list: a stopped device never reads as active. */
export function stateWord({ State, Submission }: Device): string {
  return State === 'Active' && Submission.IsStopped ? 'Stopped' : State;
}

function waitingText(submission: Device['Submission'], zone: string, now: Date): string | undefined {
  const { WaitingSince: since, IsStopped, Error: error } = submission;
  if (since === null) return undefined;
  const length = `${countText(submission.WaitingReceipts)}, the first since ${momentIn(zone, since)} (${distanceTo(since, now)})`;
  return IsStopped || error === null ? length : `${length}: ${error}`;
}

export function tillText({ WaitingSales, WaitingSince }: TillBehind, zone: string): string {
  return `${WaitingSales} unsealed since ${momentIn(zone, WaitingSince)}`;
}

function dayText(day: Device['FiscalDay'], zone: string, now: Date): string {
  const { OpenedAt: openedAt, EndsAt: endsAt, OpensAt: opensAt } = day;
  const state = `${day.Number}, ${day.State}`;
  if (opensAt !== null) {
    return `${state}; the next one opens at ${momentIn(zone, opensAt)} (${distanceTo(opensAt, now)})`;
  }
  if (openedAt === null || endsAt === null) return state;
  return (
    `${state} since ${momentIn(zone, openedAt)}, ${countText(day.ReceiptCount)}; ` +
    `must close by ${momentIn(zone, endsAt)} (${distanceTo(endsAt, now)})`
  );
}

function countText(count: number): string {
  return count === 1 ? '1 receipt' : `${count} receipts`;
}

function windowText({ Start, End }: Device['NextMaintenanceWindow'], zone: string, now: Date): string {
  const isOn = Date.parse(Start) <= now.getTime() && now.getTime() < Date.parse(End);
  const distance = isOn ? 'on now: nothing is sealed' : distanceTo(Start, now);
  return `${momentIn(zone, Start)} to ${momentIn(zone, End).slice(11)} (${distance})`;
}

function datesText({ DatePolicy, AdvanceLimitSeconds, FutureLimitSeconds }: Device): string {
  const limit = DatePolicy === 'advance' ? `, moved by at most ${AdvanceLimitSeconds} s` : ', never moved';
  return `${DatePolicy}${limit}; refused when more than ${FutureLimitSeconds} s in the future`;
}

type Tax = Device['ApplicableTaxes'][number];

function taxText({ TaxPercent, Name, TaxId, ValidTill, Since }: Tax, zone: string): string {
  const since = Since === null ? '' : `, since ${momentIn(zone, Since)}`;
  return `${percent(TaxPercent)} ${Name} (tax ${TaxId})${since}${ValidTill === null ? '' : `, until ${ValidTill}`}`;
}

function endedText({ TaxPercent, Name, TaxId, EndedAt }: Device['EndedTaxes'][number], zone: string): string {
  return `${percent(TaxPercent)} ${Name} (tax ${TaxId}) ended at ${momentIn(zone, EndedAt)}`;
}
