import { Anchor, Group, Select, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { DeliveryState } from '../../../src/contract/webhook-delivery.ts';
import { vendorsQuery } from '../api/billpay-queries.ts';
import type { Delivery } from '../api/billpay-shapes.ts';
import { useList } from '../api/queries.ts';
import { DELIVERY_STATES, DeliveryBadge } from '../parts/billpay-badges.tsx';
import { Link } from '../parts/link.tsx';
import { More } from '../parts/more.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty, Failure, Waiting } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { WideTable } from '../parts/wide-table.tsx';

interface WebhookSearch {
  readonly VendorId?: string;
  readonly State?: DeliveryState;
}

export function WebhooksPage() {
  const search: WebhookSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const { data: vendors = [] } = useQuery(vendorsQuery);
  const deliveries = useList(['live', 'deliveries'], 'GET /api/admin/webhook-deliveries', 'Deliveries', {
    query: search,
  });
  const go = (change: { readonly [Name in keyof WebhookSearch]: string }) => {
    const given = Object.entries({ ...search, ...change }).filter(([, value]) => value);
    void navigate({ to: '/webhooks', search: Object.fromEntries(given) });
  };
  const isFiltered = (search.VendorId ?? search.State) !== undefined;
  return (
    <Page
      title="Webhooks"
      lead="What vendors were told of changed billers, and what they answered."
      actions={
        <>
          {vendors.length > 1 && (
            <Select
              aria-label="Vendor"
              placeholder="All vendors"
              clearable
              searchable
              data={vendors.map(({ VendorId, Name }) => ({ value: VendorId, label: Name }))}
              value={search.VendorId ?? null}
              onChange={(value) => go({ VendorId: value ?? '' })}
            />
          )}
          <Select
            aria-label="State"
            placeholder="Any state"
            clearable
            data={DELIVERY_STATES}
            value={search.State ?? null}
            onChange={(value) => go({ State: value ?? '' })}
          />
        </>
      }
    >
      <Panel flush>
        {deliveries.error !== null && <Failure error={deliveries.error} onRetry={() => void deliveries.refetch()} />}
        {deliveries.items === undefined ? (
          deliveries.error === null && <Waiting />
        ) : deliveries.items.length === 0 ? (
          <Empty icon="webhook" title={isFiltered ? 'Nothing found' : 'Nothing was sent yet'}>
            {isFiltered ? (
              <Anchor component={Link} to="/webhooks" size="sm">
                Show all
              </Anchor>
            ) : (
              'When a biller changes, every vendor that sees it and has a callback address is told here.'
            )}
          </Empty>
        ) : (
          <DeliveryTable deliveries={deliveries.items} />
        )}
        <More {...deliveries} />
      </Panel>
    </Page>
  );
}

export function DeliveryTable({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const { moment } = useTimes();
  return (
    <WideTable minWidth={680}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Changed billers</Table.Th>
          <Table.Th visibleFrom="sm">Vendor</Table.Th>
          <Table.Th visibleFrom="sm">Since</Table.Th>
          <Table.Th visibleFrom="sm">Attempts</Table.Th>
          <Table.Th visibleFrom="md">Last answer</Table.Th>
          <Table.Th>State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deliveries.map((delivery) => (
          <Table.Tr key={delivery.DeliveryId}>
            <Table.Td>
              <Anchor
                component={Link}
                to="/webhooks/$deliveryId"
                params={{ deliveryId: delivery.DeliveryId }}
                fw={600}
                size="sm"
                className="wrap-anywhere"
              >
                {delivery.BillerCodes.join(', ')}
              </Anchor>
              <Text size="xs" c="dimmed" hiddenFrom="sm">
                {delivery.VendorCode}, {moment(delivery.CreatedAt)}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm">{delivery.VendorCode}</Table.Td>
            <Table.Td visibleFrom="sm" style={{ whiteSpace: 'nowrap' }}>
              {moment(delivery.CreatedAt, true)}
            </Table.Td>
            <Table.Td visibleFrom="sm">
              {delivery.AttemptCount} of {delivery.MostAttempts}
            </Table.Td>
            <Table.Td visibleFrom="md" maw={240}>
              <Text size="sm" truncate>
                {lastAnswer(delivery)}
              </Text>
            </Table.Td>
            <Table.Td>
              <Group gap="xs">
                <DeliveryBadge state={delivery.State} />
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function lastAnswer({ AttemptCount, LastStatusCode, LastError }: Delivery): string {
  if (AttemptCount === 0) return 'not sent yet';
  return LastError ?? (LastStatusCode === null ? 'on its way' : String(LastStatusCode));
}
