import { Code, Stack, Text } from '@mantine/core';
import type { AnswerAt, Vendor } from '../api/answers.ts';
import { ActionButton, DialogButton } from '../parts/actions.tsx';
import { DeliveryBadge } from '../parts/billpay-badges.tsx';
import { Copyable } from '../parts/copy.tsx';
import type { Column } from '../parts/data-table.tsx';
import { sentence } from '../parts/format.ts';
import { List } from '../parts/list.tsx';
import { Facts } from '../parts/panel.tsx';
import { type Step, Steps } from '../parts/steps.tsx';
import type { Times } from '../parts/times.ts';
import { useTimes } from '../parts/use-times.ts';

type Delivery = AnswerAt<'GET /api/admin/webhook-deliveries'>['Deliveries'][number];

/** Notifications of changed billers, and what the vendor answered. */
export const DELIVERIES = {
  of: 'GET /api/admin/webhook-deliveries',
  items: 'Deliveries',
  isUnderWay: ({ State }: Delivery) => State === 'Pending',
  icon: 'webhook',
  none: 'Nothing was sent yet',
  hint: 'When a biller that it sees changes, the vendor is notified. You see that here.',
  keyOf: ({ DeliveryId }: Delivery) => DeliveryId,
  columns: [
    { name: 'Changed billers', cell: ({ BillerCodes }) => BillerCodes.join(', ') },
    { name: 'Created', cell: ({ CreatedAt }, { moment }) => moment(CreatedAt, true) },
    { name: 'Last answer', cell: lastAnswer, isText: true },
    { name: 'State', cell: ({ State }) => <DeliveryBadge state={State} /> },
    {
      name: 'Attempts',
      cell: (delivery) => (
        <DialogButton
          label={`${delivery.AttemptCount} of ${delivery.MostAttempts}`}
          title={`Attempts to tell of ${delivery.BillerCodes.join(', ')}`}
          look={{ size: 'xs', variant: 'default' }}
        >
          {() => <Attempts delivery={delivery} />}
        </DialogButton>
      ),
    },
    {
      name: '',
      cell: ({ DeliveryId: deliveryId, State }) => (
        <ActionButton
          label="Send it again"
          look={{ size: 'xs', variant: State === 'Exhausted' ? 'filled' : 'default' }}
          done="It is sent again now, under the same id."
          of="POST /api/admin/webhook-deliveries/:deliveryId/resend"
          given={{ params: { deliveryId } }}
        />
      ),
    },
  ] satisfies readonly Column<Delivery>[],
} as const;

export function VendorDeliveries({ vendor: { VendorId, CallbackUrl } }: { readonly vendor: Vendor }) {
  const hint =
    CallbackUrl === null ? 'The vendor has no callback URL, so it is not notified of changes.' : DELIVERIES.hint;
  return <List {...DELIVERIES} hint={hint} given={{ query: { VendorId } }} limit={20} />;
}

function lastAnswer({ AttemptCount, LastStatusCode, LastError }: Delivery): string {
  if (AttemptCount === 0) return 'not sent yet';
  return LastError ?? (LastStatusCode === null ? 'on its way' : String(LastStatusCode));
}

function Attempts({ delivery }: { readonly delivery: Delivery }) {
  const { moment } = useTimes();
  const { State, NextAttemptAt, DeliveredAt } = delivery;
  return (
    <Stack>
      {State === 'Exhausted' && (
        <Text>
          The vendor did not answer 200. Tell it, then send it again: three more attempts. Nothing is lost: the vendor
          can ask for what has changed at any time.
        </Text>
      )}
      <Steps steps={delivery.Attempts.map((attempt) => stepOf(attempt, moment))} />
      {NextAttemptAt !== null && <Text c="dimmed">The next attempt is at {moment(NextAttemptAt, true)}.</Text>}
      <Facts
        facts={{
          'webhook-id': <Copyable value={delivery.DeliveryId} label="id" />,
          Body: <Code>{JSON.stringify(delivery.BillerCodes)}</Code>,
          Delivered: DeliveredAt === null ? 'not yet' : moment(DeliveredAt, true),
        }}
      />
    </Stack>
  );
}

function stepOf(attempt: Delivery['Attempts'][number], moment: Times['moment']): Step {
  const { Number: number, StatusCode, Error: error, StartedAt, EndedAt, DurationMs } = attempt;
  const isTaken = StatusCode === 200 && error === null;
  const isOpen = EndedAt === null && !isTaken;
  return {
    key: number,
    color: isTaken ? 'seal' : isOpen ? 'blue' : 'red',
    title: isOpen ? 'Result unknown' : StatusCode === null ? 'No answer' : `Answered ${StatusCode}`,
    body: `Attempt ${number}, ${moment(StartedAt, true)}${DurationMs === null ? '' : `, took ${DurationMs} ms`}. ${sentence(error)}`,
    answer: attempt.Answer,
  };
}
