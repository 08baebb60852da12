import { getOverview, type Overview } from '../../contract/console/overview.ts';
import { derived } from '../derived/command.ts';
import type { Fact } from '../shared/table.ts';

const NEWEST_ALERTS = 3;

/** What is wrong comes in words; what is well takes no line but those that say what there is. */
function factsOf({ Devices, Authority, Database, Backlog, Alerts, BillPayments, ...soon }: Overview): Fact[] {
  const count = (many: number, what: string) => (many === 0 ? [] : [`${many} ${what}`]);
  const days = Object.entries(Devices.DayStates).map(([state, many]) => `${many} ${state.toLowerCase()}`);
  const bad = [
    ...count(Devices.Blocked, 'blocked'),
    ...count(Devices.Stopped, 'stopped: tillseal device list --stopped'),
    ...count(Devices.Red, 'with a red receipt: tillseal receipt search --marked Red'),
  ];
  const devices = (soonOf: Overview['DaysNearMaximum']) =>
    soonOf.map(({ AuthorityDeviceId: id }) => id).join(', ') || undefined;
  const invoices = [
    ...count(BillPayments.InvoicesWaiting, 'wait'),
    ...count(BillPayments.InvoicesRejected, 'rejected: tillseal invoice list --state Rejected'),
  ];
  return [
    ['Devices', [`days: ${days.join(', ') || 'none'}`, ...bad].join('; ')],
    ['Authority', [Authority.State.toLowerCase(), Authority.Reason].filter(Boolean).join(': ')],
    [
      'Database',
      Database.State === 'Up' ? 'up' : `a commit waits for the standby since ${Database.CommitWaitSeconds} s`,
    ],
    [
      'Waiting',
      Backlog.Receipts === 0
        ? 'nothing'
        : `${Backlog.Receipts} receipts, the oldest for ${Backlog.OldestSeconds} s; ${Backlog.BehindStop} behind a stop`,
    ],
    ['Days too long soon', devices(soon.DaysNearMaximum)],
    ['Certificates end', devices(soon.CertificatesExpiring)],
    ['Invoices', invoices.join(', ') || undefined],
    [
      'Alerts',
      Alerts.Unacknowledged === 0
        ? 'none'
        : [
            `${Alerts.Unacknowledged} that nobody looks at: tillseal alerts`,
            ...Alerts.Newest.slice(0, NEWEST_ALERTS).map(({ Kind, Message }) => `${Kind}: ${Message}`),
          ].join('\n'),
    ],
  ];
}

export const statusCommand = derived('status', getOverview, {
  summary: 'Say in ten lines what is wrong: devices, authority, database, what waits, alerts.',
  facts: factsOf,
});
