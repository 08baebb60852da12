import { Button, Group, Select, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTaxpayerChoices } from '../api/choices.ts';
import { useList, useTaxpayerName } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { ADD_LOOK } from '../parts/actions.tsx';
import { DeviceBadges } from '../parts/badges.tsx';
import { PagedTable, WithNote } from '../parts/data-table.tsx';
import { count } from '../parts/format.ts';
import { Link } from '../parts/link.tsx';
import { DeviceLink } from '../parts/links.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty } from '../parts/states.tsx';
import { useFilter } from '../parts/use-filter.ts';
import { useTimes } from '../parts/use-times.ts';

interface DeviceFilter {
  readonly TaxpayerId?: string;
  readonly IsStopped?: string;
}

export function DevicesPage() {
  const { filter, narrow, choice } = useFilter<{ TaxpayerId?: string; IsStopped?: string }>('/devices');
  const mayRegister = useMay('operator');
  const taxpayers = useTaxpayerChoices();
  const isOnlyStopped = filter.IsStopped === 'true';
  return (
    <Page
      title="Devices"
      lead="Each seals receipts into its chain, day by day."
      actions={
        mayRegister && (
          <>
            <Button component={Link} to="/devices/register-list" variant="default">
              Register from a list
            </Button>
            <Button component={Link} to="/devices/register" {...ADD_LOOK}>
              Register a device
            </Button>
          </>
        )
      }
    >
      <Group align="flex-end">
        {taxpayers.length > 1 && (
          <Select label="Taxpayer" placeholder="All" searchable data={taxpayers} {...choice('TaxpayerId')} />
        )}
        <Switch
          label="Only stopped"
          mb={8}
          checked={isOnlyStopped}
          onChange={(event) => narrow({ IsStopped: event.currentTarget.checked ? 'true' : null })}
        />
      </Group>
      <Panel flush>
        <DeviceTable
          filter={filter}
          empty={
            isOnlyStopped ? (
              <Empty icon="check" title="No device is stopped">
                No device waits for a decision about a refused receipt.
              </Empty>
            ) : (
              <Empty icon="device" title="No device yet">
                A device is registered once, with the activation key the authority gave for it.
              </Empty>
            )
          }
        />
      </Panel>
    </Page>
  );
}

export function DeviceTable({ filter, empty }: { readonly filter: DeviceFilter; readonly empty: ReactNode }) {
  const { clockTime, dateOnly } = useTimes();
  const nameOf = useTaxpayerName();
  const { TaxpayerId, IsStopped } = filter;
  const devices = useList('GET /api/admin/devices', 'Devices', {
    query: { ...(TaxpayerId && { TaxpayerId }), ...(IsStopped && { IsStopped: IsStopped === 'true' }) },
  });
  return (
    <PagedTable
      pages={devices}
      empty={empty}
      keyOf={({ AuthorityDeviceId }) => AuthorityDeviceId}
      columns={[
        {
          name: 'Device',
          cell: ({ AuthorityDeviceId: deviceId, SerialNumber }) => (
            <WithNote note={SerialNumber}>
              <DeviceLink deviceId={deviceId}>{deviceId}</DeviceLink>
            </WithNote>
          ),
        },
        { name: 'Taxpayer', cell: (device) => nameOf(device.TaxpayerId), isText: true },
        {
          name: 'Fiscal day',
          cell: (device) => (
            <WithNote note={device.FiscalDay.Number > 0 && `day ${device.FiscalDay.Number}`}>
              <Group gap={6}>
                <DeviceBadges device={device} />
              </Group>
            </WithNote>
          ),
        },
        {
          name: 'Receipts',
          isNumber: true,
          cell: ({ FiscalDay, GlobalCounter }) => (
            <WithNote note={`${count(GlobalCounter)} in all`}>{count(FiscalDay.ReceiptCount)}</WithNote>
          ),
        },
        {
          name: 'Maintenance window',
          isLesser: true,
          cell: ({ NextMaintenanceWindow: { Start, End } }) => `${clockTime(Start)}–${clockTime(End)}`,
        },
        {
          name: 'Certificate',
          cell: ({ CertificateValidTill: till }) => (till === null ? '–' : `until ${dateOnly(till)}`),
        },
      ]}
    />
  );
}
