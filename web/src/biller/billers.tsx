import { Group } from '@mantine/core';
import type { Biller } from '../api/answers.ts';
import { ADD_LOOK } from '../parts/actions.tsx';
import { StateBadge } from '../parts/badges.tsx';
import { BillerBadge } from '../parts/billpay-badges.tsx';
import { WithNote } from '../parts/data-table.tsx';
import { BillerLink, LinkButton } from '../parts/links.tsx';
import { ListPage } from '../parts/list.tsx';

export function BillersPage() {
  return (
    <ListPage
      of="GET /api/admin/billers"
      items="Billers"
      icon="biller"
      title="Billers"
      lead="The organisations that are paid. A vendor sees the billers that are granted to it."
      actions={
        <LinkButton to="/billers/new" variant="filled" {...ADD_LOOK}>
          Add a biller
        </LinkButton>
      }
      none="No biller yet"
      hint="Add one, then grant it to the vendors that may take payments for it."
      keyOf={({ Code }) => Code}
      columns={[
        {
          name: 'Biller',
          cell: ({ Code, Name }) => (
            <WithNote note={Code}>
              <BillerLink code={Code}>{Name}</BillerLink>
            </WithNote>
          ),
        },
        { name: 'Currencies', cell: ({ Currencies }) => Currencies.join(', '), isText: true },
        {
          name: 'Products',
          isLesser: true,
          cell: ({ Products }) => (Products.length === 0 ? '–' : Products.length),
        },
        { name: 'Functions', cell: (biller) => <BillerFlags biller={biller} /> },
        { name: 'State', cell: (biller) => <BillerBadge biller={biller} /> },
      ]}
    />
  );
}

export function hasTarget(biller: Biller): boolean {
  return biller.TargetAmount !== null || biller.TargetUnits !== null;
}

/** What a biller does beyond taking money. */
export function BillerFlags({ biller }: { readonly biller: Biller }) {
  return (
    <Group gap={6}>
      {biller.VendorMustInvoicePayments && <StateBadge color="blue">Invoiced</StateBadge>}
      {hasTarget(biller) && <StateBadge color="gray">Target</StateBadge>}
      {biller.AllowFeed && <StateBadge color="gray">Feed</StateBadge>}
    </Group>
  );
}
