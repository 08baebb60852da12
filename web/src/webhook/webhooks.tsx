import { Select } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DeliveryState } from '../../../src/contract/billpay/webhook-delivery.ts';
import type { AnswerAt } from '../api/answers.ts';
import { useVendorChoices } from '../api/choices.ts';
import { useList } from '../api/queries.ts';
import { DELIVERY_STATES, DeliveryBadge } from '../parts/billpay-badges.tsx';
import { PagedTable, type Pages } from '../parts/data-table.tsx';
import { WebhookLink } from '../parts/links.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { NothingFound } from '../parts/search-form.tsx';
import { useFilter } from '../parts/use-filter.ts';
import { useTimes } from '../parts/use-times.ts';

type Delivery = AnswerAt<'GET /api/admin/webhook-deliveries'>['Deliveries'][number];

export function WebhooksPage() {
  const { filter, choice } = useFilter<{ VendorId?: string; State?: DeliveryState }>('/webhooks');
  const vendors = useVendorChoices();
  const deliveries = useList(['live', 'deliveries'], 'GET /api/admin/webhook-deliveries', 'Deliveries', {
    query: filter,
  });
  return (
    <Page
      title="Webhooks"
      lead="Notifications of changed billers to vendors, and what they answered."
      actions={
        <>
          {vendors.length > 1 && (
            <Select label="Vendor" placeholder="All" searchable data={vendors} {...choice('VendorId')} />
          )}
          <Select label="State" placeholder="Any" data={DELIVERY_STATES} {...choice('State')} />
        </>
      }
    >
      <Panel flush>
        <DeliveryTable
          deliveries={deliveries}
          empty={
            <NothingFound icon="webhook" search={filter} to="/webhooks" title="Nothing was sent yet">
              When a biller changes, every vendor that sees it and has a webhook URL is notified. You see that here.
            </NothingFound>
          }
        />
      </Panel>
    </Page>
  );
}

export function DeliveryTable(props: { readonly deliveries: Pages<Delivery>; readonly empty: ReactNode }) {
  const { moment } = useTimes();
  return (
    <PagedTable
      pages={props.deliveries}
      empty={props.empty}
      keyOf={({ DeliveryId }) => DeliveryId}
      columns={[
        {
          name: 'Changed billers',
          cell: ({ DeliveryId, BillerCodes }) => (
            <WebhookLink deliveryId={DeliveryId}>{BillerCodes.join(', ')}</WebhookLink>
          ),
        },
        { name: 'Vendor', cell: ({ VendorCode }) => VendorCode },
        { name: 'Created', cell: ({ CreatedAt }) => moment(CreatedAt, true) },
        {
          name: 'Attempts',
          isLesser: true,
          cell: ({ AttemptCount, MostAttempts }) => `${AttemptCount} of ${MostAttempts}`,
        },
        { name: 'Last answer', cell: lastAnswer, isText: true },
        { name: 'State', cell: ({ State }) => <DeliveryBadge state={State} /> },
      ]}
    />
  );
}

function lastAnswer({ AttemptCount, LastStatusCode, LastError }: Delivery): string {
  if (AttemptCount === 0) return 'not sent yet';
  return LastError ?? (LastStatusCode === null ? 'on its way' : String(LastStatusCode));
}
