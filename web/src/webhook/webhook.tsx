import { Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { AnswerAt } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { live } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { ActionButton } from '../parts/actions.tsx';
import { DeliveryBadge } from '../parts/billpay-badges.tsx';
import { Copyable } from '../parts/copy.tsx';
import { sentence } from '../parts/format.ts';
import { BillerLink, VendorLink } from '../parts/links.tsx';
import { Notice } from '../parts/notice.tsx';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { type Step, Steps } from '../parts/steps.tsx';
import type { Times } from '../parts/times.ts';
import { useTimes } from '../parts/use-times.ts';

type DeliveryDetail = AnswerAt<'GET /api/admin/webhook-deliveries/:deliveryId'>;

export function WebhookPage() {
  const { deliveryId = '' } = useParams({ strict: false });
  const delivery = useQuery({
    ...live('GET /api/admin/webhook-deliveries/:deliveryId', { params: { deliveryId } }),
    refetchInterval: ({ state }) => (state.data?.State === 'Pending' ? 3000 : false),
  });
  const found = delivery.data;
  return (
    <Page
      title={found === undefined ? 'Webhook' : `To ${found.VendorCode}: ${found.BillerCodes.join(', ')}`}
      back={{ to: '/webhooks', label: 'Webhooks' }}
      badges={found && <DeliveryBadge state={found.State} />}
      lead={found && `${found.AttemptCount} of ${found.MostAttempts} attempts`}
      actions={found && <Resend delivery={found} />}
    >
      <Loaded query={delivery} rows={8}>
        {(detail) => (
          <Stack gap="md">
            <WhatToDo delivery={detail} />
            <Attempts delivery={detail} />
            <Details delivery={detail} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function Resend({ delivery }: { readonly delivery: DeliveryDetail }) {
  const params = { deliveryId: delivery.DeliveryId };
  if (!useMay('operator')) return null;
  return (
    <ActionButton
      label="Send it again"
      look={{ variant: delivery.State === 'Exhausted' ? 'filled' : 'default' }}
      done="It is sent again now, under the same id."
      doIt={() => call('POST /api/admin/webhook-deliveries/:deliveryId/resend', { params })}
    />
  );
}

function WhatToDo({ delivery }: { readonly delivery: DeliveryDetail }) {
  if (delivery.State !== 'Exhausted') return null;
  return (
    <Notice color="red" title="The vendor did not answer 200">
      It was tried {delivery.AttemptCount} times. See the answers below, tell the vendor, then send it again: three more
      attempts. Nothing is lost: the vendor can ask for what has changed at any time.
    </Notice>
  );
}

function Attempts({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { moment } = useTimes();
  const next = delivery.NextAttemptAt;
  return (
    <Panel title="Attempts">
      {delivery.Attempts.length === 0 ? (
        <Text c="dimmed">
          None yet. Changes within one second share a request; it goes out at {moment(next, true)}.
        </Text>
      ) : (
        <Steps steps={delivery.Attempts.map((attempt) => stepOf(attempt, moment))} />
      )}
      {delivery.State === 'Pending' && delivery.Attempts.length > 0 && next !== null && (
        <Text c="dimmed" mt="md">
          The next attempt is at {moment(next, true)}.
        </Text>
      )}
    </Panel>
  );
}

function stepOf(attempt: DeliveryDetail['Attempts'][number], moment: Times['moment']): Step {
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

function Details({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { moment } = useTimes();
  return (
    <Panel title="What is sent">
      <Facts
        facts={{
          Vendor: <VendorLink vendorId={delivery.VendorId}>{delivery.VendorCode}</VendorLink>,
          Billers: (
            <Group gap="sm">
              {delivery.BillerCodes.map((code) => (
                <BillerLink key={code} code={code} />
              ))}
            </Group>
          ),
          'webhook-id': <Copyable value={delivery.DeliveryId} label="id" />,
          Body: <Code>{JSON.stringify(delivery.BillerCodes)}</Code>,
          Changed: moment(delivery.CreatedAt, true),
          Delivered: delivery.DeliveredAt === null ? 'not yet' : moment(delivery.DeliveredAt, true),
        }}
      />
    </Panel>
  );
}
