import { Anchor, Button, Group, Table, Text } from '@mantine/core';
import type { Biller } from '../api/billpay-shapes.ts';
import { useList } from '../api/queries.ts';
import { StateBadge } from '../parts/badges.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { More } from '../parts/more.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty, Failure, Waiting } from '../parts/states.tsx';
import { WideTable } from '../parts/wide-table.tsx';
import { useMay } from '../shell/session.tsx';

export function BillersPage() {
  const mayAdd = useMay('operator');
  const billers = useList(['live', 'billers'], 'GET /api/admin/billers', 'Billers', {});
  return (
    <Page
      title="Billers"
      lead="Who is paid. A vendor sees a biller when it was granted to it."
      actions={
        mayAdd && (
          <Button component={Link} to="/billers/new" leftSection={<Icon name="plus" size={16} />}>
            Add a biller
          </Button>
        )
      }
    >
      <Panel flush>
        {billers.error !== null && <Failure error={billers.error} onRetry={() => void billers.refetch()} />}
        {billers.items === undefined ? (
          billers.error === null && <Waiting />
        ) : billers.items.length === 0 ? (
          <Empty icon="biller" title="No biller yet">
            Add one, then grant it to the vendors that may take payments for it.
          </Empty>
        ) : (
          <BillerTable billers={billers.items} />
        )}
        <More {...billers} />
      </Panel>
    </Page>
  );
}

export function BillerBadge({ biller }: { readonly biller: Biller }) {
  return biller.Enabled ? (
    <StateBadge color="seal">Enabled</StateBadge>
  ) : (
    <StateBadge color="gray">Disabled</StateBadge>
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
      {hasTarget(biller) && <StateBadge color="yellow">Target</StateBadge>}
      {biller.AllowFeed && <StateBadge color="gray">Feed</StateBadge>}
    </Group>
  );
}

function BillerTable({ billers }: { readonly billers: readonly Biller[] }) {
  return (
    <WideTable minWidth={680}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Biller</Table.Th>
          <Table.Th visibleFrom="sm">Currencies</Table.Th>
          <Table.Th visibleFrom="sm">Products</Table.Th>
          <Table.Th visibleFrom="sm">With</Table.Th>
          <Table.Th>State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {billers.map((biller) => (
          <Table.Tr key={biller.Code}>
            <Table.Td>
              <Anchor
                component={Link}
                to="/billers/$billerCode"
                params={{ billerCode: biller.Code }}
                fw={600}
                size="sm"
                className="wrap-anywhere"
              >
                {biller.Name}
              </Anchor>
              <Text size="xs" c="dimmed">
                {biller.Code}
                <Text span hiddenFrom="sm" size="xs">
                  , {biller.Currencies.join(', ')}
                </Text>
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm">{biller.Currencies.join(', ')}</Table.Td>
            <Table.Td visibleFrom="sm">{biller.Products.length === 0 ? '–' : biller.Products.length}</Table.Td>
            <Table.Td visibleFrom="sm">
              <BillerFlags biller={biller} />
            </Table.Td>
            <Table.Td>
              <BillerBadge biller={biller} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
