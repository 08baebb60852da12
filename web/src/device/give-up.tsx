import { Group } from '@mantine/core';
import type { Device } from '../api/answers.ts';
import { useMay } from '../api/session.ts';
import { ConfirmButton } from '../parts/actions.tsx';
import { Panel } from '../parts/panel.tsx';

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
