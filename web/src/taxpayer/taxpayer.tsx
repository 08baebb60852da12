import { Button, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Taxpayer } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { DeviceTable } from '../device/devices.tsx';
import { SuspensionBadge } from '../parts/badges.tsx';
import { Copy } from '../parts/copy.tsx';
import { PageForm, useSending } from '../parts/form.tsx';
import { Link } from '../parts/link.tsx';
import { tell } from '../parts/notify.ts';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { TokensPanel } from '../parts/tokens.tsx';
import { useTimes } from '../parts/use-times.ts';
import { bodyOf, TaxpayerFields, valuesOf } from './taxpayer-fields.tsx';
import { TaxpayerPrinting } from './taxpayer-printing.tsx';

export function TaxpayerPage() {
  const { dateOnly } = useTimes();
  const { taxpayerId = '' } = useParams({ strict: false });
  const taxpayer = useQuery({
    queryKey: ['taxpayers', taxpayerId],
    queryFn: ({ signal }) => call('GET /api/admin/taxpayers/:taxpayerId', { params: { taxpayerId }, signal }),
  });
  const found = taxpayer.data;
  return (
    <Page
      title={found?.Name ?? 'Taxpayer'}
      back={{ to: '/taxpayers', label: 'Taxpayers' }}
      badges={found && <SuspensionBadge of={found} />}
      lead={
        found && (
          <>
            TIN {found.TIN} <Copy value={found.TIN} label="Copy the TIN" />,{' '}
            {found.VatNumber === null ? 'not registered for VAT' : `VAT ${found.VatNumber}`}, added{' '}
            {dateOnly(found.CreatedAt)}
          </>
        )
      }
      actions={
        <>
          <Button component={Link} to="/endpoints" search={{ TaxpayerId: taxpayerId }} variant="default">
            Endpoints
          </Button>
          <Button component={Link} to="/receipts" search={{ TaxpayerId: taxpayerId }} variant="default">
            Receipts
          </Button>
        </>
      }
    >
      <Loaded query={taxpayer} rows={8}>
        {(detail) => <TaxpayerTabs key={detail.TaxpayerId} taxpayer={detail} />}
      </Loaded>
    </Page>
  );
}

function TaxpayerTabs({ taxpayer }: { readonly taxpayer: Taxpayer }) {
  const { TaxpayerId } = taxpayer;
  return (
    <PageTabs
      tabs={[
        {
          name: 'Devices',
          content: (
            <Panel flush>
              <DeviceTable filter={{ TaxpayerId }} empty={<Empty icon="device" title="No device yet" />} />
            </Panel>
          ),
        },
        { name: 'Settings', content: <TaxpayerSettings taxpayer={taxpayer} />, isKept: true },
        useMay('admin') && { name: 'Tokens', content: <TokensPanel owner={{ TaxpayerId }} /> },
        { name: 'Printing', content: <TaxpayerPrinting taxpayer={taxpayer} />, isKept: true },
      ]}
    />
  );
}

function TaxpayerSettings({ taxpayer }: { readonly taxpayer: Taxpayer }) {
  const params = { taxpayerId: taxpayer.TaxpayerId };
  const sending = useSending({
    values: { ...valuesOf(taxpayer), Suspended: taxpayer.Suspended },
    send: ({ Suspended, ...values }) =>
      call('PATCH /api/admin/taxpayers/:taxpayerId', { params, body: { ...bodyOf(values), Suspended } }),
    onSent: () => tell('Saved.'),
  });
  return (
    <PageForm sending={sending} button="Save" mayEdit={useMay('admin')}>
      <Panel title="Settings">
        <TaxpayerFields field={sending.field} />
        <Switch
          label="Suspended"
          description="Its tokens are refused as long as this is on"
          {...sending.flag('Suspended')}
        />
      </Panel>
    </PageForm>
  );
}
