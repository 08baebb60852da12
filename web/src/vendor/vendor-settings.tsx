import { Group, Modal, NumberInput, PasswordInput, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { VendorChange } from '../../../src/contract/billpay/vendor.ts';
import type { Vendor } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { ConfirmButton } from '../parts/actions.tsx';
import { ShownOnce } from '../parts/copy.tsx';
import { PageForm, useSending } from '../parts/form.tsx';
import { tell } from '../parts/notify.ts';
import { Panel } from '../parts/panel.tsx';

export function VendorSettings({ vendor }: { readonly vendor: Vendor }) {
  const mayRenew = useMay('POST /api/admin/vendors/:vendorId/webhook-secret');
  return (
    <Stack gap="md">
      {mayRenew && <CallbackSecret vendor={vendor} />}
      <SettingsForm key={vendor.VendorId} vendor={vendor} />
    </Stack>
  );
}

const CHANGE = 'PATCH /api/admin/vendors/:vendorId';
const NO_SECRETS = { CallbackToken: '', FiscalToken: '' };

function SettingsForm({ vendor }: { readonly vendor: Vendor }) {
  const mayEdit = useMay(CHANGE);
  const params = { vendorId: vendor.VendorId };
  const forgetting = (body: VendorChange) =>
    ({ of: CHANGE, given: { params, body }, done: 'It is forgotten.' }) as const;
  const sending = useSending({
    values: {
      Name: vendor.Name,
      Suspended: vendor.Suspended,
      CallbackUrl: vendor.CallbackUrl ?? '',
      FiscalDeviceId: vendor.FiscalDeviceId ?? '',
      ...NO_SECRETS,
    },
    send: ({ CallbackUrl, FiscalDeviceId, CallbackToken, FiscalToken, ...rest }) =>
      call(CHANGE, {
        params,
        body: {
          ...rest,
          CallbackUrl: CallbackUrl.trim() || null,
          FiscalDeviceId: FiscalDeviceId === '' ? null : Number(FiscalDeviceId),
          // Nothing typed for a secret leaves it as it is.
          ...(CallbackToken !== '' && { CallbackToken: CallbackToken.trim() }),
          ...(FiscalToken !== '' && { FiscalToken: FiscalToken.trim() }),
        },
      }),
    onSent: () => {
      tell('Saved.');
      sending.form.setValues(NO_SECRETS);
      sending.form.resetDirty();
    },
  });
  const secret = (name: 'CallbackToken' | 'FiscalToken', isThere: boolean) => ({
    ...sending.field(name),
    placeholder: !isThere ? 'None' : mayEdit ? 'There is one; type to replace it' : 'There is one',
    autoComplete: 'off',
  });
  return (
    <PageForm
      sending={sending}
      button="Save"
      mayEdit={mayEdit}
      beside={
        <>
          {vendor.HasCallbackToken && (
            <ConfirmButton
              label="Forget the callback token"
              title="Forget the callback token"
              {...forgetting({ CallbackToken: null })}
            >
              From now on the vendor is notified without a bearer token. Requests are still signed.
            </ConfirmButton>
          )}
          {vendor.HasFiscalToken && (
            <ConfirmButton
              label="Forget the fiscal token"
              title="Forget the fiscal token"
              danger
              {...forgetting({ FiscalToken: null })}
            >
              No invoice of its payments can be signed until there is another one; they wait.
            </ConfirmButton>
          )}
        </>
      }
    >
      <Panel title="Settings">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput required {...sending.field('Name', 'Name')} />
          <Switch
            mt={{ base: 0, sm: 30 }}
            {...sending.flag('Suspended', 'Suspended', 'Its tokens are refused as long as this is on')}
          />
          <TextInput
            label="Callback URL"
            description="Where it is notified of changed billers; leave empty for no notifications"
            placeholder="https://"
            {...sending.field('CallbackUrl')}
          />
          <PasswordInput
            label="Callback token"
            description="The bearer token it expects there; never shown again"
            {...secret('CallbackToken', vendor.HasCallbackToken)}
          />
          <NumberInput
            hideControls
            allowDecimal={false}
            allowNegative={false}
            {...sending.field('FiscalDeviceId', 'Fiscal device', 'The one that signs the invoices of its payments')}
          />
          <PasswordInput
            label="Fiscal token"
            description="A token of its taxpayer, with sign and read; never shown again"
            {...secret('FiscalToken', vendor.HasFiscalToken)}
          />
        </SimpleGrid>
      </Panel>
    </PageForm>
  );
}

function CallbackSecret({ vendor }: { readonly vendor: Vendor }) {
  const [secret, setSecret] = useState('');
  const params = { vendorId: vendor.VendorId };
  return (
    <Panel title="Callback secret">
      <Group justify="space-between" gap="sm">
        <Text c="dimmed" maw={560}>
          It signs every notification to the vendor, so that the vendor knows it comes from here. It was shown once.
        </Text>
        <ConfirmButton
          label="Make a new one"
          title="Make a new secret"
          danger
          of="POST /api/admin/vendors/:vendorId/webhook-secret"
          given={{ params }}
          onDone={({ WebhookSecret }) => setSecret(WebhookSecret)}
        >
          From now on notifications are signed with the new secret: the vendor refuses them until it has the secret too.
        </ConfirmButton>
      </Group>
      <Modal opened={secret !== ''} onClose={() => setSecret('')} title="The new callback secret">
        <ShownOnce secret={secret}>Give it to {vendor.Name} now: it is never shown again.</ShownOnce>
      </Modal>
    </Panel>
  );
}
