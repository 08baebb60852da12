import { Button, Grid, Group, Stack, Table, Tabs, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { deviceQuery, useTaxpayerName } from '../api/queries.ts';
import type { Device } from '../api/shapes.ts';
import { DeviceBadges } from '../parts/badges.tsx';
import { count, percent } from '../parts/format.ts';
import { tell, tellFailure } from '../parts/notify.ts';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { useMay } from '../shell/session.tsx';
import { CloseDay } from './device-close.tsx';
import { CountersPanel, DaysPanel, DayTimeline } from './device-days.tsx';
import { DeviceSettings } from './device-settings.tsx';
import { VerifyPanel } from './device-verify.tsx';
import { WaitingBanner } from './device-waiting.tsx';

export function DevicePage() {
  const deviceId = Number(useParams({ strict: false }).deviceId);
  const device = useQuery({ ...deviceQuery(deviceId), refetchInterval: 10_000 });
  return (
    <Page
      title={`Device ${deviceId}`}
      back={{ to: '/devices', label: 'Devices' }}
      lead={device.data && <DeviceLead device={device.data} />}
      actions={device.data && <DeviceActions device={device.data} />}
    >
      <Loaded query={device} rows={8}>
        {(found) => (
          <Stack gap="md">
            <WaitingBanner device={found} />
            <DeviceTabs device={found} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function DeviceLead({ device }: { readonly device: Device }) {
  const nameOf = useTaxpayerName();
  return (
    <Group gap="xs">
      <DeviceBadges device={device} />
      <span>
        {device.SerialNumber}, {nameOf(device.TaxpayerId)}, {device.Zone.replace('_', ' ')}
      </span>
    </Group>
  );
}

function DeviceActions({ device }: { readonly device: Device }) {
  const client = useQueryClient();
  const mayAct = useMay('operator');
  const params = { authorityDeviceId: device.AuthorityDeviceId };
  const refresh = () => client.invalidateQueries({ queryKey: ['live'] });
  const openDay = async () => {
    await call('POST /api/admin/devices/:authorityDeviceId/day', { params, body: { Action: 'open' } });
    tell('The day is being opened.');
    await refresh();
  };
  const resume = useMutation({
    mutationFn: () => call('POST /api/admin/devices/:authorityDeviceId/resume', { params }),
    onSuccess: async () => {
      tell('The device tries again now.');
      await refresh();
    },
    onError: tellFailure,
  });
  if (!mayAct) return null;
  const isClosed = device.FiscalDay.State === 'Closed';
  return (
    <>
      <Button variant="default" loading={resume.isPending} onClick={() => resume.mutate()}>
        Retry now
      </Button>
      {isClosed ? (
        <Button onClick={() => void openDay().catch(tellFailure)}>Open the day</Button>
      ) : (
        <CloseDay device={device} onClosing={refresh} />
      )}
    </>
  );
}

function DeviceTabs({ device }: { readonly device: Device }) {
  return (
    <Tabs defaultValue="day" keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="day">Day</Tabs.Tab>
        <Tabs.Tab value="days">Z reports</Tabs.Tab>
        <Tabs.Tab value="chain">Chain</Tabs.Tab>
        <Tabs.Tab value="settings">Settings</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="day">
        <Stack gap="md">
          <DayTimeline device={device} />
          <Grid gap="md">
            <Grid.Col span={{ base: 12, md: 7 }}>
              <CountersPanel device={device} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 5 }}>
              <Stack gap="md">
                <HeadPanel device={device} />
                <TaxesPanel device={device} />
              </Stack>
            </Grid.Col>
          </Grid>
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="days">
        <DaysPanel device={device} />
      </Tabs.Panel>
      <Tabs.Panel value="chain">
        <VerifyPanel device={device} />
      </Tabs.Panel>
      <Tabs.Panel value="settings">
        <DeviceSettings device={device} />
      </Tabs.Panel>
    </Tabs>
  );
}

function HeadPanel({ device }: { readonly device: Device }) {
  const { momentOfWall, dateOnly } = useTimes();
  const { FiscalDay: day } = device;
  return (
    <Panel title="Head of the chain">
      <Facts
        facts={[
          ['Fiscal day', day.Number === 0 ? 'None yet' : String(day.Number)],
          ['Receipts today', count(day.ReceiptCount)],
          ['Receipts in all', count(device.GlobalCounter)],
          [
            'Last receipt',
            device.LastReceiptDate === null ? 'None yet' : momentOfWall(device.LastReceiptDate, device.Zone, true),
          ],
          ['Certificate', `until ${dateOnly(device.CertificateValidTill)}`],
          ...(device.BlockedReason === null ? [] : [['Blocked', device.BlockedReason] as const]),
        ]}
      />
    </Panel>
  );
}

function TaxesPanel({ device }: { readonly device: Device }) {
  return (
    <Panel title="Taxes today" flush>
      <Table horizontalSpacing="md" verticalSpacing={7}>
        <Table.Tbody>
          {device.ApplicableTaxes.map((tax) => (
            <Table.Tr key={`${tax.TaxId} ${tax.ValidFrom}`}>
              <Table.Td>{tax.Name}</Table.Td>
              <Table.Td ta="right" fw={600}>
                {percent(tax.TaxPercent)}
              </Table.Td>
              <Table.Td ta="right">
                <Text size="xs" c="dimmed">
                  id {tax.TaxId}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
