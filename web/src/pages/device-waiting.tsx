import { Alert, Anchor, Group, Stack, Text } from '@mantine/core';
import type { Device } from '../api/shapes.ts';
import { isLate } from '../parts/badges.tsx';
import { count, sentence } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { useTimes } from '../parts/use-times.ts';

/** That receipts wait for the authority, since when and why; and where to decide, if one of them stopped the device. */
export function WaitingBanner({ device }: { readonly device: Device }) {
  const { moment } = useTimes();
  const { AuthorityDeviceId: deviceId, Submission: submission } = device;
  const { IsStopped, StoppedBy, WaitingReceipts: waiting } = submission;
  if (!IsStopped && !isLate(device)) return null;
  const receipts = waiting === 1 ? 'One receipt waits' : `${count(waiting)} receipts wait`;
  const since = `${receipts}, the first since ${moment(submission.WaitingSince, true)}.`;
  return (
    <Alert
      color={IsStopped ? 'red' : 'yellow'}
      variant="light"
      icon={<Icon name="alert" />}
      title={IsStopped ? 'Stopped: the authority refused a receipt' : `${receipts} for the authority`}
    >
      <Stack gap="xs">
        <Text size="sm" className="wrap-anywhere">
          {sentence(submission.Error)} {since}{' '}
          {IsStopped
            ? 'Selling goes on, but nothing more is submitted until an operator decides.'
            : 'They are submitted automatically.'}
        </Text>
        <Group gap="md">
          {StoppedBy !== null && (
            <Anchor
              component={Link}
              to="/receipts/$deviceId/$globalCounter"
              params={{ deviceId: String(deviceId), globalCounter: String(StoppedBy.GlobalCounter) }}
              size="sm"
              fw={600}
              className="wrap-anywhere"
            >
              Decide about {StoppedBy.Reference}
            </Anchor>
          )}
          <Anchor
            component={Link}
            to="/receipts"
            search={{ State: 'Pending', AuthorityDeviceId: String(deviceId) }}
            size="sm"
          >
            Show what waits
          </Anchor>
        </Group>
      </Stack>
    </Alert>
  );
}
