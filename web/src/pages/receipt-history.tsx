import { Text, Timeline } from '@mantine/core';
import type { ReceiptDetail } from '../api/shapes.ts';
import { moment } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';

export function History({ detail }: { readonly detail: ReceiptDetail }) {
  const { Submission, State, Zone, Lane, Receipt: receipt } = detail;
  return (
    <Panel title="What happened">
      <Timeline active={State === 'Submitted' ? 2 : 0} bulletSize={16} lineWidth={2}>
        <Timeline.Item
          title={
            <Text fw={600} size="sm">
              Sealed
            </Text>
          }
        >
          <Text size="sm" c="dimmed">
            {moment(detail.SealedAt, Zone, true)}, number {receipt.FiscalDayCounter} of day {receipt.FiscalDayNumber}
          </Text>
        </Timeline.Item>
        <Timeline.Item
          title={
            <Text fw={600} size="sm">
              {submissionTitle(detail)}
            </Text>
          }
        >
          <Text size="sm" c="dimmed" className="wrap-anywhere">
            {Submission === null
              ? (receipt.SubmissionError ?? 'On its way.')
              : `${moment(Submission.SettledAt, Zone, true)}, ${attempts(Submission.Attempts)}${receipt.SubmissionError === null ? '' : `: ${receipt.SubmissionError}`}`}
            {Lane?.NextAttemptAt &&
              State === 'Pending' &&
              ` The next attempt is at ${moment(Lane.NextAttemptAt, Zone, true)}.`}
          </Text>
        </Timeline.Item>
        {Submission !== null && State === 'Submitted' && (
          <Timeline.Item
            title={
              <Text fw={600} size="sm">
                Accepted by the authority
              </Text>
            }
          >
            <Text size="sm" c="dimmed">
              Its number there is {Submission.AuthorityReceiptId ?? 'unknown'}; its signature{' '}
              {Submission.IsAuthoritySignatureValid === null
                ? 'waits for a certificate'
                : Submission.IsAuthoritySignatureValid
                  ? 'holds'
                  : 'does not hold'}
              .{Submission.IsWithoutBuyer && ' It was sent without the buyer’s data.'}
            </Text>
          </Timeline.Item>
        )}
      </Timeline>
    </Panel>
  );
}

function submissionTitle({ State }: ReceiptDetail): string {
  return { Submitted: 'Submitted', Pending: 'Not submitted yet', Refused: 'Refused', Undeliverable: 'Given up' }[State];
}

function attempts(number: number): string {
  return number === 1 ? 'at the first attempt' : `after ${number} attempts`;
}
