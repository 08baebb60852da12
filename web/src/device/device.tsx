import { Grid, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Device } from '../api/answers.ts';
import { useTaxpayerName } from '../api/choices.ts';
import { live } from '../api/queries.ts';
import { ActionButton } from '../parts/actions.tsx';
import { DeviceBadges } from '../parts/badges.tsx';
import { count, percent } from '../parts/format.ts';
import { TaxpayerLink } from '../parts/links.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { CloseDay, RedBanner } from './device-close.tsx';
import { CountersPanel, DaysPanel, DayTimeline } from './device-days.tsx';
import { HoldsBanner, RegisterAgain } from './device-holds.tsx';
import { DeviceSettings, GiveUp } from './device-settings.tsx';
import { VerifyPanel } from './device-verify.tsx';
import { TillsBanner, WaitingBanner } from './device-waiting.tsx';

export function DevicePage() {
  const deviceId = Number(useParams({ strict: false }).deviceId);
  const device = useQuery({
    ...live('GET /api/admin/devices/:authorityDeviceId', { params: { authorityDeviceId: deviceId } }),
    refetchInterval: 10_000,
  });
  return (
    <Page
      title={`Device ${deviceId}`}
      back={{ to: '/devices', label: 'Devices' }}
      badges={device.data && <DeviceBadges device={device.data} />}
      lead={device.data && <DeviceLead device={device.data} />}
      actions={device.data && <DeviceActions device={device.data} />}
    >
      <Loaded query={device} rows={8}>
        {(found) => (
          <Stack gap="md">
            <HoldsBanner device={found} />
            <WaitingBanner device={found} />
            <RedBanner device={found} />
            <TillsBanner device={found} />
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
    <>
      {device.SerialNumber}, <TaxpayerLink taxpayerId={device.TaxpayerId}>{nameOf(device.TaxpayerId)}</TaxpayerLink>,{' '}
      {device.Zone.replace('_', ' ')}
    </>
  );
}

function DeviceActions({ device }: { readonly device: Device }) {
  if (device.State === 'GivenUp') return null;
  const params = { authorityDeviceId: device.AuthorityDeviceId };
  return (
    <>
      {(device.Submission.IsStopped || device.Submission.Error !== null) && (
        <ActionButton
          label="Retry now"
          done="The device tries again now."
          of="POST /api/admin/devices/:authorityDeviceId/resume"
          given={{ params }}
        />
      )}
      {device.FiscalDay.State === 'Closed' ? (
        <ActionButton
          label="Open the day"
          look={{ variant: 'filled' }}
          done="The day is being opened."
          of="POST /api/admin/devices/:authorityDeviceId/day"
          given={{ params, body: { Action: 'open' } }}
        />
      ) : (
        <CloseDay device={device} />
      )}
    </>
  );
}

function DeviceTabs({ device }: { readonly device: Device }) {
  return (
    <PageTabs
      tabs={[
        { name: 'Day', content: <DayTab device={device} /> },
        { name: 'Z reports', content: <DaysPanel device={device} /> },
        {
          name: 'Chain',
          of: 'POST /api/admin/devices/:authorityDeviceId/verify',
          content: <VerifyPanel device={device} />,
        },
        {
          name: 'Settings',
          content: (
            <Stack gap="md">
              <DeviceSettings device={device} />
              {device.State !== 'GivenUp' && <GiveUp device={device} />}
            </Stack>
          ),
          isKept: true,
        },
      ]}
    />
  );
}

function DayTab({ device }: { readonly device: Device }) {
  return (
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
  );
}

function HeadPanel({ device }: { readonly device: Device }) {
  const { moment, momentOfWall, dateOnly } = useTimes();
  const { FiscalDay: day } = device;
  return (
    <Panel title="Head of the chain">
      <Facts
        facts={{
          'Fiscal day': day.Number === 0 ? 'None yet' : day.Number,
          'Receipts today': count(day.ReceiptCount),
          'Receipts in all': count(device.GlobalCounter),
          'Last receipt':
            device.LastReceiptDate === null ? 'None yet' : momentOfWall(device.LastReceiptDate, device.Zone, true),
          'Last connected': moment(device.ConnectedAt),
          Certificate: `until ${dateOnly(device.CertificateValidTill)}`,
        }}
      />
      <RegisterAgain device={device} />
    </Panel>
  );
}

function TaxesPanel({ device }: { readonly device: Device }) {
  const { moment } = useTimes();
  const row = ({ TaxId, Name, TaxPercent }: Device['ApplicableTaxes'][number], when: string) => [
    <>
      {Name}
      <Text size="xs" c="dimmed">
        {when}
      </Text>
    </>,
    <b key="percent">{percent(TaxPercent)}</b>,
    `id ${TaxId}`,
  ];
  return (
    <Panel title="Taxes now" flush>
      <Table
        className="figures"
        horizontalSpacing="md"
        verticalSpacing={7}
        data={{
          body: [
            ...device.ApplicableTaxes.map((tax) => row(tax, tax.Since === null ? '' : `since ${moment(tax.Since)}`)),
            ...device.EndedTaxes.map((tax) => row(tax, `ended ${moment(tax.EndedAt)}`)),
          ],
        }}
      />
    </Panel>
  );
}
