import { Anchor, Button, Group, Select, Switch, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { taxpayersQuery, useList, useTaxpayerName } from '../api/queries.ts';
import type { Device } from '../api/shapes.ts';
import { DeviceBadges } from '../parts/badges.tsx';
import { count } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { More } from '../parts/more.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty, Failure, Waiting } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { WideTable } from '../parts/wide-table.tsx';
import { useMay } from '../shell/session.tsx';

export function DevicesPage() {
  const search: { TaxpayerId?: string; IsStopped?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const isOnlyStopped = search.IsStopped === 'true';
  const show = (change: typeof search) => void navigate({ to: '/devices', search: { ...search, ...change } });
  const mayRegister = useMay('operator');
  const { data: taxpayers = [] } = useQuery(taxpayersQuery);
  const devices = useList(['live', 'devices'], 'GET /api/admin/devices', 'Devices', {
    query: {
      ...(search.TaxpayerId && { TaxpayerId: search.TaxpayerId }),
      ...(search.IsStopped && { IsStopped: isOnlyStopped }),
    },
  });
  const register = (
    <Button component={Link} to="/devices/register" leftSection={<Icon name="plus" size={16} />}>
      Register a device
    </Button>
  );
  return (
    <Page
      title="Devices"
      lead="Each seals receipts into its chain, day by day."
      actions={
        <>
          {taxpayers.length > 1 && (
            <Select
              aria-label="Taxpayer"
              placeholder="All taxpayers"
              w={190}
              clearable
              searchable
              data={taxpayers.map(({ TaxpayerId, Name }) => ({ value: TaxpayerId, label: Name }))}
              value={search.TaxpayerId ?? null}
              onChange={(value) => show({ TaxpayerId: value ?? '' })}
            />
          )}
          <Switch
            label="Only stopped"
            checked={isOnlyStopped}
            onChange={(event) => show({ IsStopped: event.currentTarget.checked ? 'true' : '' })}
          />
          {mayRegister && register}
        </>
      }
    >
      <Panel flush>
        {devices.error !== null && <Failure error={devices.error} onRetry={() => void devices.refetch()} />}
        {devices.items === undefined ? (
          <Waiting />
        ) : devices.items.length === 0 && isOnlyStopped ? (
          <Empty icon="check" title="No device is stopped">
            None waits for a decision about a receipt that the authority refused.
          </Empty>
        ) : devices.items.length === 0 ? (
          <Empty icon="device" title="No device yet">
            A device is registered once, with the activation key the authority gave for it.
          </Empty>
        ) : (
          <DeviceTable devices={devices.items} />
        )}
        <More {...devices} />
      </Panel>
    </Page>
  );
}

function DeviceTable({ devices }: { readonly devices: readonly Device[] }) {
  const { clockTime, dateOnly } = useTimes();
  const nameOf = useTaxpayerName();
  return (
    <WideTable minWidth={720}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Device</Table.Th>
          <Table.Th visibleFrom="sm">Taxpayer</Table.Th>
          <Table.Th>Fiscal day</Table.Th>
          <Table.Th ta="right">Receipts</Table.Th>
          <Table.Th visibleFrom="sm">Window</Table.Th>
          <Table.Th visibleFrom="md">Certificate until</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {devices.map((device) => (
          <Table.Tr key={device.AuthorityDeviceId}>
            <Table.Td>
              <Anchor
                component={Link}
                to="/devices/$deviceId"
                params={{ deviceId: String(device.AuthorityDeviceId) }}
                fw={600}
                size="sm"
              >
                {device.AuthorityDeviceId}
              </Anchor>
              <Text size="xs" c="dimmed">
                {device.SerialNumber}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm">{nameOf(device.TaxpayerId)}</Table.Td>
            <Table.Td>
              <Group gap="xs">
                <DeviceBadges device={device} />
                <Text size="sm" c="dimmed">
                  {device.FiscalDay.Number === 0 ? '' : `day ${device.FiscalDay.Number}`}
                </Text>
              </Group>
            </Table.Td>
            <Table.Td ta="right">
              {count(device.FiscalDay.ReceiptCount)}
              <Text size="xs" c="dimmed">
                {count(device.GlobalCounter)} in all
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              {clockTime(device.NextMaintenanceWindow.Start)}–{clockTime(device.NextMaintenanceWindow.End)}
            </Table.Td>
            <Table.Td visibleFrom="md">{dateOnly(device.CertificateValidTill)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
