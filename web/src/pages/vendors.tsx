import { Alert, Anchor, Button, Group, Modal, Stack, Table, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Vendor } from '../api/billpay-shapes.ts';
import { call } from '../api/client.ts';
import { useList } from '../api/queries.ts';
import { StateBadge } from '../parts/badges.tsx';
import { Secret } from '../parts/copy.tsx';
import { Icon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { More } from '../parts/more.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { SendForm } from '../parts/send-form.tsx';
import { Empty, Failure, Waiting } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { WideTable } from '../parts/wide-table.tsx';
import { useMay } from '../shell/session.tsx';

export function VendorsPage() {
  const mayAdd = useMay('admin');
  const vendors = useList(['vendors', 'pages'], 'GET /api/admin/vendors', 'Vendors', {});
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <Page
      title="Vendors"
      lead="Who takes payments of members for billers. Each sees only what it was granted."
      actions={
        mayAdd && (
          <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
            Add a vendor
          </Button>
        )
      }
    >
      <Panel flush>
        {vendors.error !== null && <Failure error={vendors.error} onRetry={() => void vendors.refetch()} />}
        {vendors.items === undefined ? (
          vendors.error === null && <Waiting />
        ) : vendors.items.length === 0 ? (
          <Empty icon="vendor" title="No vendor yet">
            A vendor gets a code, a token to pay with, and a secret that signs what it is told.
          </Empty>
        ) : (
          <VendorTable vendors={vendors.items} />
        )}
        <More {...vendors} />
      </Panel>
      <Modal opened={isOpen} onClose={close} centered title={<Text fw={650}>Add a vendor</Text>}>
        <NewVendorForm />
      </Modal>
    </Page>
  );
}

export function VendorBadge({ vendor }: { readonly vendor: Vendor }) {
  return vendor.Suspended ? (
    <StateBadge color="red">Suspended</StateBadge>
  ) : (
    <StateBadge color="seal">Active</StateBadge>
  );
}

function VendorTable({ vendors }: { readonly vendors: readonly Vendor[] }) {
  const { dateOnly } = useTimes();
  return (
    <WideTable minWidth={680}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Vendor</Table.Th>
          <Table.Th visibleFrom="sm">Told of changes at</Table.Th>
          <Table.Th visibleFrom="sm">Invoices by device</Table.Th>
          <Table.Th visibleFrom="md">Since</Table.Th>
          <Table.Th>State</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {vendors.map((vendor) => (
          <Table.Tr key={vendor.VendorId}>
            <Table.Td>
              <Anchor
                component={Link}
                to="/vendors/$vendorId"
                params={{ vendorId: vendor.VendorId }}
                fw={600}
                size="sm"
                className="wrap-anywhere"
              >
                {vendor.Name}
              </Anchor>
              <Text size="xs" c="dimmed">
                {vendor.Code}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm" maw={320}>
              <Text size="sm" truncate c={vendor.CallbackUrl === null ? 'dimmed' : undefined}>
                {vendor.CallbackUrl ?? 'not told'}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Text size="sm" c={vendor.FiscalDeviceId === null ? 'dimmed' : undefined}>
                {vendor.FiscalDeviceId ?? 'none'}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="md" style={{ whiteSpace: 'nowrap' }}>
              {dateOnly(vendor.CreatedAt)}
            </Table.Td>
            <Table.Td>
              <VendorBadge vendor={vendor} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function NewVendorForm() {
  const client = useQueryClient();
  const [code, setCode] = useState('');
  const [name, setName] = useState('');
  const [callback, setCallback] = useState('');
  const add = useMutation({
    mutationFn: () =>
      call('POST /api/admin/vendors', {
        body: { Code: code, Name: name, CallbackUrl: callback === '' ? null : callback },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['vendors'] }),
  });
  if (add.data !== undefined) {
    return (
      <Stack>
        <Alert color="yellow" variant="light">
          This secret signs what {add.data.Name} is told. Give it to them now: it is never shown again.
        </Alert>
        <Secret value={add.data.WebhookSecret} />
        <Group>
          <Button component={Link} to="/vendors/$vendorId" params={{ vendorId: add.data.VendorId }}>
            Go to the vendor
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <SendForm sending={add} button="Add">
      {(errorAt) => (
        <>
          <TextInput
            label="Code"
            description="Letters, digits, _ and -; it never changes"
            required
            maxLength={50}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            error={errorAt('Code')}
            data-autofocus
          />
          <TextInput
            label="Name"
            required
            maxLength={250}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errorAt('Name')}
          />
          <TextInput
            label="Callback address"
            description="Where it is told of changed billers; may be set later"
            placeholder="https://"
            value={callback}
            onChange={(event) => setCallback(event.currentTarget.value.trim())}
            error={errorAt('CallbackUrl')}
          />
        </>
      )}
    </SendForm>
  );
}
