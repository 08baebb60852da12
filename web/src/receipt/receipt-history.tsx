import type { FailedAttempt } from '../../../src/contract/fiscal/managed-receipt.ts';
import type { ReceiptDetail } from '../api/answers.ts';
import { worstColour } from '../parts/badges.tsx';
import { sentence } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';
import { type Step, Steps } from '../parts/steps.tsx';
import type { Times } from '../parts/times.ts';
import { useTimes } from '../parts/use-times.ts';

/** Every step on the way to the authority, the first first. */
export function History({ detail }: { readonly detail: ReceiptDetail }) {
  const times = useTimes();
  const { State, Receipt: receipt, FailedAttempts: attempts } = detail;
  const isOver = State === 'Submitted' || State === 'Undeliverable';
  const steps: Step[] = [
    {
      key: 'sealed',
      title: 'Sealed',
      body: `${times.moment(detail.SealedAt, true)}, number ${receipt.FiscalDayCounter} of day ${receipt.FiscalDayNumber}`,
    },
    ...attempts.map((attempt, index) => attemptStep(attempt, times, !isOver && index === attempts.length - 1)),
    lastStep(detail, times),
  ];
  return (
    <Panel title="What happened">
      <Steps steps={steps} open={isOver ? 0 : 1} />
    </Panel>
  );
}

const FAILURES: Readonly<Record<FailedAttempt['Outcome'], { title: string; color: string; whatToDo: string }>> = {
  Unanswered: {
    title: 'The authority did not answer',
    color: 'yellow',
    whatToDo: 'Nothing needs to be done: it is sent again automatically.',
  },
  Refused: {
    title: 'Refused by the authority',
    color: 'red',
    whatToDo: 'Unchanged, it will be refused again unless the authority changes something: decide what to do with it.',
  },
  DeviceRefused: {
    title: 'The authority refused the device',
    color: 'red',
    whatToDo: 'Settle this with the authority; it is sent again automatically as soon as the device may work.',
  },
};

function attemptStep(attempt: FailedAttempt, times: Times, isOpen: boolean): Step {
  const { title, color, whatToDo } = FAILURES[attempt.Outcome];
  return {
    key: `${attempt.Outcome} ${attempt.FirstAt}`,
    title: attempt.Times === 1 ? title : `${title}, ${attempt.Times} times`,
    color,
    body: (
      <>
        {span(attempt, times)}. {attempt.Code !== null && `${attempt.Code}: `}
        {sentence(attempt.Words)} {isOpen && whatToDo}
      </>
    ),
  };
}

function span({ FirstAt, LastAt, Times: times }: FailedAttempt, { moment, dateOnly, clockTime }: Times): string {
  if (times === 1) return moment(FirstAt, true);
  const isSameDay = dateOnly(FirstAt) === dateOnly(LastAt);
  return `${moment(FirstAt)} to ${isSameDay ? clockTime(LastAt) : moment(LastAt)}`;
}

function lastStep(detail: ReceiptDetail, { moment }: Times): Step {
  const { State, Submission, Lane, Receipt: receipt, FailedAttempts: attempts } = detail;
  if (State === 'Submitted') {
    const colour = worstColour(receipt);
    const isMarked = colour === 'Red' || colour === 'Grey';
    return {
      key: 'submitted',
      title: isMarked ? `Received by the authority, and marked ${colour}` : 'Accepted by the authority',
      ...(isMarked && { color: colour === 'Red' ? 'red' : 'gray' }),
      body: Submission && (
        <>
          {moment(Submission.SettledAt, true)}
          {attempts.length === 0 && ', at the first attempt'}. Its number there is{' '}
          {Submission.AuthorityReceiptId ?? 'unknown'}; the authority’s signature under this answer{' '}
          {Submission.IsAuthoritySignatureValid === null
            ? 'waits for a certificate'
            : Submission.IsAuthoritySignatureValid
              ? 'holds'
              : 'does not hold'}
          .{Submission.IsWithoutBuyer && ' It was sent without the buyer’s data.'}
        </>
      ),
    };
  }
  if (State === 'Undeliverable') {
    return {
      key: 'given-up',
      title: 'Given up',
      color: 'gray',
      body: `${moment(Submission?.SettledAt ?? null, true)}. ${sentence(receipt.SubmissionError)}`,
    };
  }
  if (State === 'Refused') {
    const isTold = attempts.at(-1)?.Outcome === 'Refused';
    const body = isTold ? 'The receipts after it wait, too.' : sentence(receipt.SubmissionError);
    return { key: 'refused', title: 'A decision is needed', body };
  }
  return {
    key: 'waiting',
    title: 'Not submitted yet',
    body: `${attempts.length === 0 ? sentence(receipt.SubmissionError ?? 'On its way') : ''} ${
      Lane?.NextAttemptAt ? `The next attempt is at ${moment(Lane.NextAttemptAt, true)}.` : ''
    }`,
  };
}
