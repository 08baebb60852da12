import type { Outage } from '../../contract/fiscal/alert.ts';
import { formatZoned } from '../../kernel/zone.ts';

/** What the authority wants to know of devices that are out of use (docs/operations/outages.md). */
export interface OutageReport {
  readonly tin: string;
  readonly name: string;
  readonly branch: string | undefined;
  readonly contacts: readonly (string | undefined)[];
  readonly devices: readonly ReportedDevice[];
  readonly salesRecording: string | null;
}

type ReportedDevice = Pick<Outage, 'SerialNumber' | 'BeganAt' | 'EndedAt' | 'Problem'> & {
  readonly deviceId: number;
  readonly zone: string;
};

const AS_CLIENTS_DO =
  'Every sale is recorded in the tills’ own storage with its reference, lines and totals. The customer gets a slip that says that it is not a fiscal receipt. When the device works again the sales are signed and submitted, each with the date of signing.';

export function reportText(report: OutageReport): string {
  const { branch, name } = report;
  return [
    'REPORT: FISCAL DEVICE OUT OF USE',
    '',
    `TIN: ${report.tin}`,
    `Company: ${name}${branch === undefined || branch === name ? '' : `, ${branch}`}`,
    `Contact: ${report.contacts.filter(Boolean).join(', ') || '(please fill in)'}`,
    '',
    ...report.devices.flatMap(({ deviceId, SerialNumber, zone, BeganAt, EndedAt, Problem }) => [
      `Device: registration number ${deviceId}, serial number ${SerialNumber}`,
      `Out of use since: ${momentText(zone, BeganAt)}${EndedAt === null ? '' : `, until ${momentText(zone, EndedAt)}`}`,
      `Problem: ${Problem}`,
      '',
    ]),
    `How sales are recorded meanwhile: ${report.salesRecording ?? AS_CLIENTS_DO}`,
    '',
  ]
    .map((line) => line.replaceAll(/\s+/g, ' '))
    .join('\n');
}

/** On the clock of the shop. */
function momentText(zone: string, at: string): string {
  return formatZoned(zone, Math.floor(Date.parse(at) / 1000))
    .slice(0, 16)
    .replace('T', ' ');
}
