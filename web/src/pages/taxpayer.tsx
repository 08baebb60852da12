import { Button, Group, Switch, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import type { Taxpayer } from '../api/shapes.ts';
import { Copy } from '../parts/copy.tsx';
import { PageForm, useSending } from '../parts/form.tsx';
import { Link } from '../parts/link.tsx';
import { tell } from '../parts/notify.ts';
import { Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';
import { useMay } from '../shell/session.tsx';
import { bodyOf, TaxpayerFields, valuesOf } from './taxpayer-fields.tsx';
import { TaxpayerPrinting } from './taxpayer-printing.tsx';
import { TaxpayerBadge } from './taxpayers.tsx';
import { IssueTaxpayerToken, TaxpayerTokens } from './tokens.tsx';

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
      lead={
        found && (
          <Group gap="xs">
            <TaxpayerBadge taxpayer={found} />
            <span>
              TIN {found.TIN} <Copy value={found.TIN} label="Copy the TIN" />,{' '}
              {found.VatNumber === null ? 'not registered for VAT' : `VAT ${found.VatNumber}`}, added{' '}
              {dateOnly(found.CreatedAt)}
            </span>
          </Group>
        )
      }
      actions={
        <>
          <Button component={Link} to="/devices" search={{ TaxpayerId: taxpayerId }} variant="default">
            Devices
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
  const isAdmin = useMay('admin');
  return (
    <Tabs defaultValue="settings" keepMounted={false}>
      <Tabs.List mb="md" className="one-line-tabs">
        <Tabs.Tab value="settings">Settings</Tabs.Tab>
        {isAdmin && <Tabs.Tab value="tokens">Tokens</Tabs.Tab>}
        <Tabs.Tab value="printing">Printing</Tabs.Tab>
      </Tabs.List>
      {/* Kept, so that a look at the tokens does not lose what was typed. */}
      <Tabs.Panel value="settings" keepMounted>
        <TaxpayerSettings taxpayer={taxpayer} />
      </Tabs.Panel>
      {isAdmin && (
        <Tabs.Panel value="tokens">
          <Panel title="Tokens" flush aside={<IssueTaxpayerToken taxpayerId={taxpayer.TaxpayerId} />}>
            <TaxpayerTokens taxpayerId={taxpayer.TaxpayerId} />
          </Panel>
        </Tabs.Panel>
      )}
      <Tabs.Panel value="printing" keepMounted>
        <TaxpayerPrinting taxpayer={taxpayer} />
      </Tabs.Panel>
    </Tabs>
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
