import { Group, Select, Switch } from '@mantine/core';
import type { Device } from '../api/answers.ts';
import { useTaxpayerChoices, useTaxpayerName } from '../api/choices.ts';
import { ADD_LOOK } from '../parts/actions.tsx';
import { DeviceBadges } from '../parts/badges.tsx';
import { type Column, WithNote } from '../parts/data-table.tsx';
import { count } from '../parts/format.ts';
import { DeviceLink, LinkButton } from '../parts/links.tsx';
import { ListPage } from '../parts/list.tsx';
import { useFilter } from '../parts/use-filter.ts';

/** A device in every list of them. */
export const DEVICES = {
  of: 'GET /api/admin/devices',
  items: 'Devices',
  icon: 'device',
  none: 'No device yet',
  keyOf: ({ AuthorityDeviceId }: Device) => AuthorityDeviceId,
  columns: [
    {
      name: 'Device',
      cell: ({ AuthorityDeviceId: deviceId, SerialNumber }) => (
        <WithNote note={SerialNumber}>
          <DeviceLink deviceId={deviceId}>{deviceId}</DeviceLink>
        </WithNote>
      ),
    },
    {
      name: 'Taxpayer',
      of: 'GET /api/admin/taxpayers',
      cell: ({ TaxpayerId }) => <TaxpayerName of={TaxpayerId} />,
      isText: true,
    },
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
      cell: ({ NextMaintenanceWindow: { Start, End } }, { clockTime }) => `${clockTime(Start)}–${clockTime(End)}`,
    },
    {
      name: 'Certificate',
      cell: ({ CertificateValidTill: till }, { dateOnly }) => (till === null ? '–' : `until ${dateOnly(till)}`),
    },
  ] satisfies readonly Column<Device>[],
} as const;

export function DevicesPage() {
  const { filter, narrow, choice } = useFilter<{ TaxpayerId?: string; IsStopped?: string }>('/devices');
  const taxpayers = useTaxpayerChoices();
  const isOnlyStopped = filter.IsStopped === 'true';
  const { TaxpayerId } = filter;
  return (
    <ListPage
      {...DEVICES}
      given={{ query: { TaxpayerId, ...(isOnlyStopped && { IsStopped: true }) } }}
      title="Devices"
      lead="Each seals receipts into its chain, day by day."
      actions={
        <>
          <LinkButton to="/devices/register-list">Register from a list</LinkButton>
          <LinkButton to="/devices/register" variant="filled" {...ADD_LOOK}>
            Register a device
          </LinkButton>
        </>
      }
      none={isOnlyStopped ? 'No device is stopped' : DEVICES.none}
      hint={
        isOnlyStopped
          ? 'No device waits for a decision about a refused receipt.'
          : 'A device is registered once, with the activation key the authority gave for it.'
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
    </ListPage>
  );
}

function TaxpayerName({ of }: { readonly of: string }) {
  return useTaxpayerName()(of);
}
