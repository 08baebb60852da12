import { Badge, type MantineColor } from '@mantine/core';
import type { SubmissionState } from '../../../src/contract/fiscal/receipt.ts';
import type { Device, ReceiptDetail } from '../api/answers.ts';
import { count, words } from './format.ts';

interface Look {
  readonly color: MantineColor;
  readonly label: string;
}

const DAYS: Readonly<Record<string, Look>> = {
  Opened: { color: 'seal', label: 'Open' },
  Opening: { color: 'blue', label: 'Opening' },
  Closing: { color: 'blue', label: 'Closing' },
  CloseInitiated: { color: 'blue', label: 'Closing' },
  CloseFailed: { color: 'red', label: 'Close failed' },
  Closed: { color: 'gray', label: 'Closed' },
};

const STATES: Readonly<Record<SubmissionState, Look>> = {
  Submitted: { color: 'seal', label: 'Submitted' },
  Pending: { color: 'yellow', label: 'Waiting' },
  Refused: { color: 'red', label: 'Refused' },
  Undeliverable: { color: 'gray', label: 'Undeliverable' },
};

function Label({ color, label }: Look) {
  return (
    <Badge
      color={color}
      variant="light"
      tt="none"
      radius="sm"
      fw={600}
      style={{ flexShrink: 0, maxWidth: 'none' }}
      styles={{ label: { overflow: 'visible' } }}
    >
      {label}
    </Badge>
  );
}

export function dayLook(state: string): Look {
  return DAYS[state] ?? { color: 'gray', label: words(state) };
}

/** Of a device that is stopped or blocked, or whose day cannot be closed, not even an open day is green. */
export function DayBadge({ state, device }: { readonly state: string; readonly device?: Device }) {
  const { color, label } = dayLook(state);
  const isWell =
    device === undefined ||
    (device.State !== 'Blocked' && !device.Submission.IsStopped && device.FiscalDay.RedReceipts.length === 0);
  return <Label color={color === 'seal' && !isWell ? 'gray' : color} label={label} />;
}

const LATE_MS = 60_000;

/** Receipts of the device wait longer than it takes to hand them over. */
export function isLate({ Submission: { WaitingSince } }: Device): boolean {
  return WaitingSince !== null && Date.now() - Date.parse(WaitingSince) > LATE_MS;
}

/** Its day, and what keeps the device from working. */
export function DeviceBadges({ device }: { readonly device: Device }) {
  const { FiscalDay: day, Submission: submission } = device;
  return (
    <>
      {device.State === 'GivenUp' ? (
        <Label color="gray" label="Given up" />
      ) : (
        <DayBadge state={day.State} device={device} />
      )}
      {device.State === 'Blocked' && <Label color="red" label="On hold" />}
      {submission.IsStopped && <Label color="red" label="Stopped" />}
      {day.RedReceipts.length > 0 && <Label color="red" label="Red receipt" />}
      {(submission.IsStopped || isLate(device)) && (
        <Label color="yellow" label={`${count(submission.WaitingReceipts)} waiting`} />
      )}
      {device.TillsBehind.length > 0 && <Label color="yellow" label="Till behind" />}
    </>
  );
}

/** The colour of the gravest remark. */
export function worstColour({ Remarks }: ReceiptDetail['Receipt']): string | null {
  const colours = Remarks.map((remark) => remark.Colour);
  const unknown = colours.find((colour) => colour !== 'Yellow');
  return ['Red', 'Grey'].find((colour) => colours.includes(colour)) ?? unknown ?? colours[0] ?? null;
}

export function SubmissionBadge({
  state,
  colour,
}: {
  readonly state: SubmissionState;
  readonly colour?: string | null;
}) {
  if (state === 'Submitted' && colour) {
    const color = colour === 'Red' ? 'red' : colour === 'Yellow' ? 'yellow' : 'gray';
    return <Label color={color} label={`${colour} remark`} />;
  }
  return <Label {...STATES[state]} />;
}

export function StateBadge({ color, children }: { readonly color: MantineColor; readonly children: string }) {
  return <Label color={color} label={children} />;
}

/** Of a taxpayer or a vendor. */
export function SuspensionBadge({ of }: { readonly of: { readonly Suspended: boolean } }) {
  return of.Suspended ? <Label color="red" label="Suspended" /> : <Label color="seal" label="Active" />;
}
