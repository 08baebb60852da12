import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Device } from '../api/answers.ts';
import { ConfirmButton } from '../parts/actions.tsx';

/** Another certificate for a device whose own the authority no longer accepts. */
export function RegisterAgain({ device }: { readonly device: Device }) {
  const { TaxpayerId, AuthorityDeviceId, SerialNumber } = device;
  const [ActivationKey, setActivationKey] = useState('');
  return (
    <ConfirmButton
      label="Register again"
      title="Register again"
      done="The device has a new certificate."
      isReady={ActivationKey.length === 8}
      of="POST /api/admin/devices"
      given={{ body: { TaxpayerId, AuthorityDeviceId, SerialNumber, ActivationKey, Again: true } }}
      onDone={() => setActivationKey('')}
    >
      <Stack gap="sm">
        <Text>
          If the authority no longer accepts the certificate of this device (revoked, expired, activation reset), ask it
          for a fresh activation key. Key pair, chain, open day, settings and what waits to be submitted stay as they
          are.
        </Text>
        <TextInput
          label="Activation key"
          description="Eight characters; works once"
          maxLength={8}
          value={ActivationKey}
          onChange={(event) => setActivationKey(event.currentTarget.value)}
        />
      </Stack>
    </ConfirmButton>
  );
}
