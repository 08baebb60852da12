import { Alert, Button, Code, Group, Stack, Text, Timeline } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { deliveryQuery } from '../api/billpay-queries.ts';
import type { DeliveryDetail } from '../api/billpay-shapes.ts';
import { call } from '../api/client.ts';
import { DeliveryBadge } from '../parts/billpay-badges.tsx';
import { BillerLink, VendorLink } from '../parts/billpay-links.tsx';
import { Copy } from '../parts/copy.tsx';
import { sentence } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { tell, tellFailure } from '../parts/notify.ts';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { useMay } from '../shell/session.tsx';

export function WebhookPage() {
  const { deliveryId = '' } = useParams({ strict: false });
  const delivery = useQuery({
    ...deliveryQuery(deliveryId),
    refetchInterval: ({ state }) => (state.data?.State === 'Pending' ? 3000 : false),
  });
  const found = delivery.data;
  return (
    <Page
      title={found === undefined ? 'Webhook' : `To ${found.VendorCode}: ${found.BillerCodes.join(', ')}`}
      back={{ to: '/webhooks', label: 'Webhooks' }}
      lead={
        found && (
          <Group gap="xs">
            <DeliveryBadge state={found.State} />
            <span>
              {found.AttemptCount} of {found.MostAttempts} attempts
            </span>
          </Group>
        )
      }
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
  const client = useQueryClient();
  const mayAct = useMay('operator');
  const resend = useMutation({
    mutationFn: () =>
      call('POST /api/admin/webhook-deliveries/:deliveryId/resend', { params: { deliveryId: delivery.DeliveryId } }),
    onSuccess: async () => {
      tell('It is sent again now, under the same id.');
      await client.invalidateQueries({ queryKey: ['live'] });
    },
    onError: tellFailure,
  });
  if (!mayAct) return null;
  return (
    <Button
      variant={delivery.State === 'Exhausted' ? 'filled' : 'default'}
      loading={resend.isPending}
      onClick={() => resend.mutate()}
    >
      Send it again
    </Button>
  );
}

function WhatToDo({ delivery }: { readonly delivery: DeliveryDetail }) {
  if (delivery.State !== 'Exhausted') return null;
  return (
    <Alert color="red" variant="light" icon={<Icon name="alert" />} title="The vendor did not answer 200">
      <Text size="sm">
        It was tried {delivery.AttemptCount} times. See below what came back, tell the vendor, then send it again: three
        more attempts. Nothing is lost meanwhile, the vendor may ask for what has changed at any time.
      </Text>
    </Alert>
  );
}

function Attempts({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { moment } = useTimes();
  const next = delivery.NextAttemptAt;
  return (
    <Panel title="Attempts">
      {delivery.Attempts.length === 0 ? (
        <Text size="sm" c="dimmed">
          None yet. Changes within one second share a request; it goes out at {moment(next, true)}.
        </Text>
      ) : (
        <Timeline active={delivery.Attempts.length - 1} bulletSize={16} lineWidth={2}>
          {delivery.Attempts.map((attempt) => {
            const isTaken = attempt.StatusCode === 200 && attempt.Error === null;
            return (
              <Timeline.Item
                key={attempt.Number}
                color={isTaken ? 'seal' : attempt.EndedAt === null ? 'blue' : 'red'}
                title={
                  <Text fw={600} size="sm">
                    {isTaken
                      ? 'Answered 200'
                      : attempt.EndedAt === null
                        ? 'No end known'
                        : attempt.StatusCode === null
                          ? 'No answer'
                          : `Answered ${attempt.StatusCode}`}
                  </Text>
                }
              >
                <Text size="sm" c="dimmed">
                  Attempt {attempt.Number}, {moment(attempt.StartedAt, true)}
                  {attempt.DurationMs !== null && `, took ${attempt.DurationMs} ms`}
                </Text>
                {attempt.Error !== null && (
                  <Text size="sm" className="wrap-anywhere">
                    {sentence(attempt.Error)}
                  </Text>
                )}
                {attempt.Answer !== null && attempt.Answer !== '' && (
                  <Code block mt={6} className="wrap-anywhere" style={{ whiteSpace: 'pre-wrap' }}>
                    {attempt.Answer}
                  </Code>
                )}
              </Timeline.Item>
            );
          })}
        </Timeline>
      )}
      {delivery.State === 'Pending' && delivery.Attempts.length > 0 && next !== null && (
        <Text size="sm" c="dimmed" mt="md">
          The next attempt is at {moment(next, true)}.
        </Text>
      )}
    </Panel>
  );
}

function Details({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { moment } = useTimes();
  return (
    <Panel title="What is sent">
      <Facts
        facts={[
          ['Vendor', <VendorLink key="vendor" vendorId={delivery.VendorId} name={delivery.VendorCode} />],
          [
            'Billers',
            <Group key="billers" gap="sm">
              {delivery.BillerCodes.map((code) => (
                <BillerLink key={code} code={code} />
              ))}
            </Group>,
          ],
          [
            'webhook-id',
            <Group key="id" gap={4} wrap="nowrap" align="flex-start">
              <span className="mono wrap-anywhere">{delivery.DeliveryId}</span>
              <Copy value={delivery.DeliveryId} label="Copy the id" />
            </Group>,
          ],
          ['Body', <Code key="body">{JSON.stringify(delivery.BillerCodes)}</Code>],
          ['Changed', moment(delivery.CreatedAt, true)],
          ['Delivered', delivery.DeliveredAt === null ? 'not yet' : moment(delivery.DeliveredAt, true)],
        ]}
      />
    </Panel>
  );
}
