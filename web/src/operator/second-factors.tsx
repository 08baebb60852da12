import { Box, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/client.ts';
import { DialogButton } from '../parts/actions.tsx';
import { FormDialog } from '../parts/form.tsx';
import { Panel } from '../parts/panel.tsx';
import { useTimes } from '../parts/use-times.ts';
import { OwnPassword } from '../shell/choose-password.tsx';
import { hasPasskeys } from '../shell/passkey.tsx';
import { SetUpPasskey, SetUpTotp, secondFactorQuery } from '../shell/second-factor.tsx';

/** One's own: an app, passkeys, and how many recovery codes are left. */
export function SecondFactors() {
  const { moment } = useTimes();
  const { data } = useQuery(secondFactorQuery);
  const [showsCodes, setShowsCodes] = useState(false);
  if (data === undefined) return null;
  const { Totp, Passkeys, CanHavePasskeys, RecoveryCodes } = data;
  const hasSome = Totp || Passkeys.length > 0;
  return (
    <Panel title="Second factor">
      <Stack>
        <Text c="dimmed">
          {hasSome
            ? `Every log-in asks for one of these. ${RecoveryCodes} recovery codes are left.`
            : 'With a passkey, or an app on your phone, a stolen password alone lets nobody in.'}
        </Text>
        {Totp && (
          <Factor name="App with codes">
            <Remove of="the app" send={(body) => call('DELETE /api/admin/session/totp', { body })} />
          </Factor>
        )}
        {Passkeys.map(({ PasskeyId, Name, CreatedAt, LastUsedAt }) => (
          <Factor
            key={PasskeyId}
            name={Name}
            note={
              LastUsedAt === null ? `passkey added ${moment(CreatedAt)}` : `passkey last used ${moment(LastUsedAt)}`
            }
          >
            <Remove
              of={Name}
              send={(body) =>
                call('DELETE /api/admin/session/passkeys/:passkeyId', { params: { passkeyId: PasskeyId }, body })
              }
            />
          </Factor>
        ))}
        <Group gap="sm">
          {(!Totp || showsCodes) && (
            <DialogButton label="Set up an app" title="Set up an app">
              {(close) => <SetUpTotp onCodes={setShowsCodes} onDone={close} />}
            </DialogButton>
          )}
          {CanHavePasskeys && hasPasskeys() && (
            <DialogButton label="Add a passkey" title="Add a passkey" look={{ variant: Totp ? 'filled' : 'default' }}>
              {(close) => <SetUpPasskey onDone={close} />}
            </DialogButton>
          )}
        </Group>
        {!CanHavePasskeys && <Text c="dimmed">Passkeys need a name: this console is open at an IP address.</Text>}
      </Stack>
    </Panel>
  );
}

function Factor(props: { readonly name: string; readonly note?: string; readonly children: ReactNode }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Box style={{ minWidth: 0 }}>
        <Text truncate>{props.name}</Text>
        {props.note !== undefined && (
          <Text size="xs" c="dimmed">
            {props.note}
          </Text>
        )}
      </Box>
      {props.children}
    </Group>
  );
}

function Remove(props: { readonly of: string; readonly send: (body: { Password: string }) => Promise<unknown> }) {
  return (
    <FormDialog
      label="Remove"
      title={`Remove ${props.of}`}
      look={{ variant: 'light', color: 'red', size: 'xs', style: { flexShrink: 0 } }}
      button="Remove"
      danger
      values={{ Password: '' }}
      send={props.send}
    >
      {({ field }) => <OwnPassword field={field('Password')} />}
    </FormDialog>
  );
}
