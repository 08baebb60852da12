import { TextInput } from '@mantine/core';
import { call } from '../api/client.ts';
import { ADD_LOOK } from '../parts/actions.tsx';
import { SuspensionBadge } from '../parts/badges.tsx';
import { ShownOnce } from '../parts/copy.tsx';
import { WithNote } from '../parts/data-table.tsx';
import { FormDialog } from '../parts/form.tsx';
import { DeviceLink, LinkButton, VendorLink } from '../parts/links.tsx';
import { ListPage } from '../parts/list.tsx';

export function VendorsPage() {
  return (
    <ListPage
      of="GET /api/admin/vendors"
      items="Vendors"
      icon="vendor"
      title="Vendors"
      lead="They take payments from members for billers. Each sees only what is granted to it."
      actions={
        <FormDialog
          of="POST /api/admin/vendors"
          label="Add a vendor"
          title="Add a vendor"
          look={ADD_LOOK}
          button="Add"
          values={{ Code: '', Name: '', CallbackUrl: '' }}
          send={({ CallbackUrl, ...rest }) =>
            call('POST /api/admin/vendors', { body: { ...rest, CallbackUrl: CallbackUrl.trim() || null } })
          }
          answer={({ VendorId: vendorId, Name, WebhookSecret }) => (
            <ShownOnce secret={WebhookSecret}>
              This secret signs the notifications to {Name}. Give it to them now: it is never shown again.{' '}
              <LinkButton mt="sm" size="xs" variant="filled" to="/vendors/$vendorId" params={{ vendorId }}>
                Go to the vendor
              </LinkButton>
            </ShownOnce>
          )}
        >
          {({ field }) => (
            <>
              <TextInput
                required
                maxLength={50}
                {...field('Code', 'Code', 'Letters, digits, _ and -; it never changes')}
                data-autofocus
              />
              <TextInput required maxLength={250} {...field('Name', 'Name')} />
              <TextInput
                placeholder="https://"
                {...field('CallbackUrl', 'Callback URL', 'Where it is notified of changed billers; can be set later')}
              />
            </>
          )}
        </FormDialog>
      }
      none="No vendor yet"
      hint="A vendor gets a code, a token to pay with, and a secret that signs its notifications."
      keyOf={({ VendorId }) => VendorId}
      columns={[
        {
          name: 'Vendor',
          cell: ({ VendorId, Name, Code }) => (
            <WithNote note={Code}>
              <VendorLink vendorId={VendorId}>{Name}</VendorLink>
            </WithNote>
          ),
        },
        { name: 'Callback URL', cell: ({ CallbackUrl }) => CallbackUrl ?? 'none', isText: true },
        {
          name: 'Invoices by device',
          cell: ({ FiscalDeviceId: deviceId }) =>
            deviceId === null ? 'none' : <DeviceLink deviceId={deviceId}>{deviceId}</DeviceLink>,
        },
        { name: 'Added', isLesser: true, cell: ({ CreatedAt }, { dateOnly }) => dateOnly(CreatedAt) },
        { name: 'State', cell: (vendor) => <SuspensionBadge of={vendor} /> },
      ]}
    />
  );
}
