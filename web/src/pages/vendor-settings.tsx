import { Alert, Group, Modal, PasswordInput, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { VendorChange } from '../../../src/contract/vendor.ts';
import type { Vendor } from '../api/billpay-shapes.ts';
import { call } from '../api/client.ts';
import { ConfirmButton } from '../parts/confirm.tsx';
import { Secret } from '../parts/copy.tsx';
import { tell } from '../parts/notify.ts';
import { Panel } from '../parts/panel.tsx';
import { SendForm } from '../parts/send-form.tsx';
import { useMay } from '../shell/session.tsx';

export function VendorSettings({ vendor }: { readonly vendor: Vendor }) {
  const mayEdit = useMay('admin');
  return (
    <Stack gap="md">
      <SettingsForm key={vendor.VendorId} vendor={vendor} />
      {mayEdit && <WebhookSecret vendor={vendor} />}
    </Stack>
  );
}

function SettingsForm({ vendor }: { readonly vendor: Vendor }) {
  const client = useQueryClient();
  const mayEdit = useMay('admin');
  const [name, setName] = useState(vendor.Name);
  const [isSuspended, setSuspended] = useState(vendor.Suspended);
  const [callback, setCallback] = useState(vendor.CallbackUrl ?? '');
  const [callbackToken, setCallbackToken] = useState('');
  const [device, setDevice] = useState(vendor.FiscalDeviceId === null ? '' : String(vendor.FiscalDeviceId));
  const [fiscalToken, setFiscalToken] = useState('');
  const change = (body: VendorChange) =>
    call('PATCH /api/admin/vendors/:vendorId', { params: { vendorId: vendor.VendorId }, body });
  const save = useMutation({
    mutationFn: () =>
      change({
        Name: name,
        Suspended: isSuspended,
        CallbackUrl: callback === '' ? null : callback,
        FiscalDeviceId: device === '' ? null : Number(device),
        // Nothing typed for a secret leaves it as it is.
        ...(callbackToken !== '' && { CallbackToken: callbackToken }),
        ...(fiscalToken !== '' && { FiscalToken: fiscalToken }),
      }),
    onSuccess: async () => {
      tell('Saved.');
      setCallbackToken('');
      setFiscalToken('');
      await client.invalidateQueries({ queryKey: ['vendors'] });
    },
  });
  const forget = async (which: 'CallbackToken' | 'FiscalToken') => {
    await change({ [which]: null });
    tell('It is forgotten.');
    await client.invalidateQueries({ queryKey: ['vendors'] });
  };
  return (
    <Panel title="Settings">
      <SendForm
        sending={save}
        button="Save"
        width={760}
        mayEdit={mayEdit}
        beside={
          <>
            {vendor.HasCallbackToken && (
              <ConfirmButton
                label="Forget the callback token"
                title="Forget the callback token"
                doIt={() => forget('CallbackToken')}
              >
                The vendor is told without a bearer token from now on. What is sent stays signed.
              </ConfirmButton>
            )}
            {vendor.HasFiscalToken && (
              <ConfirmButton
                label="Forget the fiscal token"
                title="Forget the fiscal token"
                danger
                doIt={() => forget('FiscalToken')}
              >
                No invoice of its payments can be signed until there is another one; they wait.
              </ConfirmButton>
            )}
          </>
        }
      >
        {(errorAt) => (
          <>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <TextInput
                label="Name"
                required
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                error={errorAt('Name')}
              />
              <Switch
                mt={{ base: 0, sm: 30 }}
                label="Suspended"
                description="Its tokens are refused until this is taken back"
                checked={isSuspended}
                onChange={(event) => setSuspended(event.currentTarget.checked)}
              />
              <TextInput
                label="Callback address"
                description="Where it is told of changed billers; empty: it is not told"
                placeholder="https://"
                value={callback}
                onChange={(event) => setCallback(event.currentTarget.value.trim())}
                error={errorAt('CallbackUrl')}
              />
              <SecretInput
                label="Callback token"
                description="What it wants as bearer token there; never shown again"
                isThere={vendor.HasCallbackToken}
                value={callbackToken}
                onChange={setCallbackToken}
                error={errorAt('CallbackToken')}
              />
              <TextInput
                label="Fiscal device"
                description="The one that signs the invoices of its payments"
                inputMode="numeric"
                value={device}
                onChange={(event) => setDevice(event.currentTarget.value.replaceAll(/\D/g, ''))}
                error={errorAt('FiscalDeviceId')}
              />
              <SecretInput
                label="Fiscal token"
                description="Of its taxpayer, with sign and read; never shown again"
                isThere={vendor.HasFiscalToken}
                value={fiscalToken}
                onChange={setFiscalToken}
                error={errorAt('FiscalToken')}
              />
            </SimpleGrid>
          </>
        )}
      </SendForm>
    </Panel>
  );
}

function SecretInput(props: {
  readonly label: string;
  readonly description: string;
  readonly isThere: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error: string | undefined;
}) {
  return (
    <PasswordInput
      label={props.label}
      description={props.description}
      placeholder={props.isThere ? 'There is one; type to replace it' : 'None'}
      autoComplete="off"
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value.trim())}
      error={props.error}
    />
  );
}

function WebhookSecret({ vendor }: { readonly vendor: Vendor }) {
  const [secret, setSecret] = useState('');
  const [isOpen, { open, close }] = useDisclosure(false);
  const rotate = async () => {
    const params = { vendorId: vendor.VendorId };
    setSecret((await call('POST /api/admin/vendors/:vendorId/webhook-secret', { params })).WebhookSecret);
    open();
  };
  return (
    <Panel title="Webhook secret">
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed" maw={560}>
          It signs everything the vendor is told, so that the vendor knows it comes from here. It was shown once.
        </Text>
        <ConfirmButton label="Make a new one" title="Make a new secret" danger doIt={rotate}>
          What is sent from now on is signed with the new one: the vendor refuses it until it has it too.
        </ConfirmButton>
      </Group>
      <Modal opened={isOpen} onClose={close} centered title={<Text fw={650}>The new webhook secret</Text>}>
        <Stack>
          <Alert color="yellow" variant="light">
            Give it to {vendor.Name} now: it is never shown again.
          </Alert>
          <Secret value={secret} />
        </Stack>
      </Modal>
    </Panel>
  );
}
