import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import type { Device } from '../api/shapes.ts';
import { tell } from '../parts/notify.ts';
import { Panel } from '../parts/panel.tsx';
import { SendForm } from '../parts/send-form.tsx';
import { useMay } from '../shell/session.tsx';

export const ZONES = Intl.supportedValuesOf('timeZone');
export const DATE_POLICIES = [
  { value: 'advance', label: 'Move the date forward to the one before plus a second' },
  { value: 'strict', label: 'Refuse a date that is not after the one before' },
] as const;

export function DeviceSettings({ device }: { readonly device: Device }) {
  const client = useQueryClient();
  const mayEdit = useMay('operator');
  const [zone, setZone] = useState<string | null>(device.Zone);
  const [start, setStart] = useState(device.MaintenanceStart);
  const [policy, setPolicy] = useState<Device['DatePolicy'] | null>(device.DatePolicy);
  const [advance, setAdvance] = useState<number | string>(device.AdvanceLimitSeconds);
  const [future, setFuture] = useState<number | string>(device.FutureLimitSeconds);
  const [blocked, setBlocked] = useState(device.BlockedReason ?? '');
  const save = useMutation({
    mutationFn: () =>
      call('PATCH /api/admin/devices/:authorityDeviceId', {
        params: { authorityDeviceId: device.AuthorityDeviceId },
        body: {
          Zone: zone ?? device.Zone,
          MaintenanceStart: start,
          DatePolicy: policy ?? device.DatePolicy,
          AdvanceLimitSeconds: Number(advance),
          FutureLimitSeconds: Number(future),
          BlockedReason: blocked.trim() === '' ? null : blocked.trim(),
        },
      }),
    onSuccess: async () => {
      tell('Saved. It counts from the next receipt on.');
      await client.invalidateQueries({ queryKey: ['live'] });
    },
  });
  return (
    <Panel title="Settings">
      <SendForm sending={save} button="Save" width={720} mayEdit={mayEdit}>
        {(errorAt) => (
          <>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <Select
                label="Time zone"
                description="Its wall clock is signed on every receipt"
                data={ZONES}
                searchable
                value={zone}
                onChange={setZone}
                error={errorAt('Zone')}
              />
              <TextInput
                label="Maintenance window starts"
                description="Two hours in which the day is closed and the next one opened"
                type="time"
                value={start}
                onChange={(event) => setStart(event.currentTarget.value)}
                error={errorAt('MaintenanceStart')}
              />
              <NumberInput
                label="A date may be moved by at most (seconds)"
                value={advance}
                onChange={setAdvance}
                min={0}
                max={86_400}
                error={errorAt('AdvanceLimitSeconds')}
              />
              <NumberInput
                label="A date may lie ahead by at most (seconds)"
                value={future}
                onChange={setFuture}
                min={0}
                max={86_400}
                error={errorAt('FutureLimitSeconds')}
              />
            </SimpleGrid>
            <Select
              label="When dates run backwards"
              data={DATE_POLICIES}
              value={policy}
              onChange={setPolicy}
              allowDeselect={false}
            />
            <TextInput
              label="Blocked because"
              description="As long as something stands here, nothing is sealed on this device"
              value={blocked}
              maxLength={200}
              onChange={(event) => setBlocked(event.currentTarget.value)}
              error={errorAt('BlockedReason')}
            />
          </>
        )}
      </SendForm>
    </Panel>
  );
}
