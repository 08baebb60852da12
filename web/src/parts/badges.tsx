import { Badge, type MantineColor } from '@mantine/core';
import type { SubmissionState } from '../api/shapes.ts';
import { words } from './format.ts';

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

export function DayBadge({ state }: { readonly state: string }) {
  return <Label {...(DAYS[state] ?? { color: 'gray', label: words(state) })} />;
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
