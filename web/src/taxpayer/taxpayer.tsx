import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Taxpayer } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useMay, useOwnFields } from '../api/session.ts';
import { DEVICES } from '../device/devices.tsx';
import { SuspensionBadge } from '../parts/badges.tsx';
import { Copy } from '../parts/copy.tsx';
import { Download } from '../parts/download.tsx';
import { PageForm, useSending } from '../parts/form.tsx';
import { LinkButton } from '../parts/links.tsx';
import { List } from '../parts/list.tsx';
import { tell } from '../parts/notify.ts';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { TokenList } from '../parts/tokens.tsx';
import { useTimes } from '../parts/use-times.ts';
import { usePeopleTab } from '../people/people-list.tsx';
import { ActAs } from '../shell/acting-for.tsx';
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
          <Download
            of="GET /api/admin/taxpayers/:taxpayerId/export"
            params={{ taxpayerId }}
            label="Export everything"
          />
          <ActAs kind="taxpayer" id={taxpayerId} />
          <LinkButton to="/endpoints" search={{ TaxpayerId: taxpayerId }}>
            Endpoints
          </LinkButton>
          <LinkButton to="/receipts" search={{ TaxpayerId: taxpayerId }}>
            Receipts
          </LinkButton>
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
          of: 'GET /api/admin/devices',
          content: <List {...DEVICES} given={{ query: { TaxpayerId } }} />,
        },
        { name: 'Settings', content: <TaxpayerSettings taxpayer={taxpayer} />, isKept: true },
        { name: 'Tokens', of: 'GET /api/admin/tokens', content: <TokenList title="Tokens" owner={{ TaxpayerId }} /> },
        usePeopleTab({ TaxpayerId }),
        {
          name: 'Printing',
          of: 'GET /api/admin/taxpayers/:taxpayerId/printing',
          content: <TaxpayerPrinting taxpayer={taxpayer} />,
          isKept: true,
        },
      ]}
    />
  );
}

const CHANGE = 'PATCH /api/admin/taxpayers/:taxpayerId';

function TaxpayerSettings({ taxpayer }: { readonly taxpayer: Taxpayer }) {
  const own = useOwnFields(CHANGE);
  const params = { taxpayerId: taxpayer.TaxpayerId };
  const sending = useSending({
    values: { ...valuesOf(taxpayer), Suspended: taxpayer.Suspended },
    send: ({ Suspended, ...values }) => call(CHANGE, { params, body: own.of({ ...bodyOf(values), Suspended }) }),
    onSent: () => tell('Saved.'),
  });
  return (
    <PageForm sending={sending} button="Save" mayEdit={useMay(CHANGE)}>
      <Panel title="Settings">
        <TaxpayerFields field={sending.field} flag={sending.flag} asks={own.has} />
        {own.has('Suspended') && (
          <Switch {...sending.flag('Suspended', 'Suspended', 'Its tokens are refused as long as this is on')} />
        )}
      </Panel>
    </PageForm>
  );
}
