import { Group, NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import type { Device } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useMay, useOwnFields } from '../api/session.ts';
import { ConfirmButton } from '../parts/actions.tsx';
import { PageForm, useSending } from '../parts/form.tsx';
import { tell } from '../parts/notify.ts';
import { Panel } from '../parts/panel.tsx';

const CHANGE = 'PATCH /api/admin/devices/:authorityDeviceId';
export const ZONES = Intl.supportedValuesOf('timeZone');
export const DATE_POLICIES = [
  { value: 'advance', label: 'Move the date forward to the one before plus a second' },
  { value: 'strict', label: 'Refuse a date that is not after the one before' },
] as const;

export function DeviceSettings({ device }: { readonly device: Device }) {
  const { Zone, MaintenanceStart, DatePolicy, AdvanceLimitSeconds, FutureLimitSeconds, BlockedReason } = device;
  const own = useOwnFields(CHANGE);
  const { field, ...sending } = useSending({
    values: {
      Zone,
      MaintenanceStart,
      DatePolicy,
      AdvanceLimitSeconds,
      FutureLimitSeconds,
      BlockedReason: BlockedReason ?? '',
    },
    send: (values) =>
      call(CHANGE, {
        params: { authorityDeviceId: device.AuthorityDeviceId },
        body: own.of({ ...values, BlockedReason: values.BlockedReason.trim() || null }),
      }),
    onSent: () => tell('Saved. It applies from the next receipt on.'),
  });
  return (
    <PageForm sending={sending} button="Save" mayEdit={useMay(CHANGE)}>
      <Panel title="Settings">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            data={ZONES}
            searchable
            allowDeselect={false}
            {...field('Zone', 'Time zone', 'Its local time is signed on every receipt')}
          />
          <TextInput
            label="Maintenance window starts"
            description="Two hours in which the day is closed and the next one opened"
            type="time"
            {...field('MaintenanceStart')}
          />
          <NumberInput
            min={0}
            max={86_400}
            {...field('AdvanceLimitSeconds', 'A date may be moved by at most (seconds)')}
          />
          <NumberInput
            min={0}
            max={86_400}
            {...field('FutureLimitSeconds', 'A date may be ahead by at most (seconds)')}
          />
        </SimpleGrid>
        <Select data={DATE_POLICIES} allowDeselect={false} {...field('DatePolicy', 'When dates run backwards')} />
        {own.has('BlockedReason') && (
          <TextInput
            label="Blocked because"
            description="As long as there is a reason here, nothing is sealed on this device. Emptying it ends this block, and no other hold"
            maxLength={200}
            {...field('BlockedReason')}
          />
        )}
      </Panel>
    </PageForm>
  );
}

const GIVE_UP = 'POST /api/admin/devices/:authorityDeviceId/give-up';

/** For a device that is needed no more. What is still to be done with it, the service says. */
export function GiveUp({ device: { AuthorityDeviceId } }: { readonly device: Device }) {
  if (!useMay(GIVE_UP)) return null;
  return (
    <Panel title="Give up this device">
      Close its day first, and wait until everything is submitted. Its receipts, days and figures stay; to use it again
      it is registered again, with a fresh activation key.
      <Group>
        <ConfirmButton
          label="Give up"
          title="Give up the device"
          danger
          done="The device is given up."
          of={GIVE_UP}
          given={{ params: { authorityDeviceId: AuthorityDeviceId } }}
        >
          Nothing is sealed on device {AuthorityDeviceId} any more, no day is opened for it, and nobody is told of it.
        </ConfirmButton>
      </Group>
    </Panel>
  );
}
