import { Group } from '@mantine/core';
import type { Device } from '../api/answers.ts';
import { isLate } from '../parts/badges.tsx';
import { count, sentence } from '../parts/format.ts';
import { ReceiptLink, TextLink } from '../parts/links.tsx';
import { Notice } from '../parts/notice.tsx';
import { useTimes } from '../parts/use-times.ts';

/** Which tills have sales of this device in their outbox that are not sealed yet. */
export function TillsBanner({ device: { TillsBehind: tills } }: { readonly device: Device }) {
  const { moment } = useTimes();
  if (tills.length === 0) return null;
  return (
    <Notice color="yellow" title="Sales wait in the outboxes of tills">
      {tills.map(({ TokenId, TokenName, WaitingSales, WaitingSince, HeardAt }) => (
        <div key={TokenId}>
          <b>{TokenName}</b>: {count(WaitingSales)} unsealed since {moment(WaitingSince)}, last heard {moment(HeardAt)}.
        </div>
      ))}
    </Notice>
  );
}

/** That receipts wait for the authority, since when and why; and where to decide, if one of them stopped the device. */
export function WaitingBanner({ device }: { readonly device: Device }) {
  const { moment } = useTimes();
  const { AuthorityDeviceId: deviceId, Submission: submission } = device;
  const { IsStopped, StoppedBy, WaitingReceipts: waiting } = submission;
  if (!IsStopped && !isLate(device)) return null;
  const receipts = waiting === 1 ? 'One receipt waits' : `${count(waiting)} receipts wait`;
  const since = `${receipts}, the first since ${moment(submission.WaitingSince, true)}.`;
  return (
    <Notice
      color={IsStopped ? 'red' : 'yellow'}
      title={IsStopped ? 'Stopped: the authority refused a receipt' : `${receipts} for the authority`}
      actions={
        <Group gap="md">
          {StoppedBy !== null && (
            <ReceiptLink deviceId={deviceId} globalCounter={StoppedBy.GlobalCounter}>
              Decide about {StoppedBy.Reference}
            </ReceiptLink>
          )}
          <TextLink to="/receipts" search={{ State: 'Pending', AuthorityDeviceId: String(deviceId) }}>
            Show what waits
          </TextLink>
        </Group>
      }
    >
      {sentence(submission.Error)} {since}{' '}
      {IsStopped
        ? 'Selling continues, but nothing more is submitted, and the day is not closed, until an operator decides.'
        : 'They are submitted automatically.'}
    </Notice>
  );
}
