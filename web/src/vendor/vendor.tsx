import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Vendor } from '../api/answers.ts';
import { useBillerChoices, useBillers } from '../api/choices.ts';
import { live } from '../api/queries.ts';
import { VisibilityPanel } from '../biller/visibility.tsx';
import { SuspensionBadge } from '../parts/badges.tsx';
import { BillerBadge } from '../parts/billpay-badges.tsx';
import { BillerLink, LinkButton } from '../parts/links.tsx';
import { List } from '../parts/list.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Page } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { TokenList } from '../parts/tokens.tsx';
import { useTimes } from '../parts/use-times.ts';
import { PAYMENTS } from '../payment/payments.tsx';
import { usePeopleTab } from '../people/people-list.tsx';
import { ActAs } from '../shell/acting-for.tsx';
import { VendorDeliveries } from './vendor-deliveries.tsx';
import { VendorSettings } from './vendor-settings.tsx';

export function VendorPage() {
  const { dateOnly } = useTimes();
  const { vendorId = '' } = useParams({ strict: false });
  const vendor = useQuery(live('GET /api/admin/vendors/:vendorId', { params: { vendorId } }));
  const found = vendor.data;
  return (
    <Page
      title={found?.Name ?? 'Vendor'}
      back={{ to: '/vendors', label: 'Vendors' }}
      badges={found && <SuspensionBadge of={found} />}
      lead={found && `${found.Code}, added ${dateOnly(found.CreatedAt)}`}
      actions={
        <>
          <ActAs kind="vendor" id={vendorId} />
          <LinkButton to="/endpoints" search={{ VendorId: vendorId }}>
            Endpoints
          </LinkButton>
        </>
      }
    >
      <Loaded query={vendor} rows={8}>
        {(detail) => <VendorTabs vendor={detail} />}
      </Loaded>
    </Page>
  );
}

function VendorTabs({ vendor }: { readonly vendor: Vendor }) {
  return (
    <PageTabs
      tabs={[
        { name: 'Settings', content: <VendorSettings vendor={vendor} />, isKept: true },
        { name: 'Billers', of: 'GET /api/admin/vendors/:vendorId/billers', content: <VendorBillers vendor={vendor} /> },
        {
          name: 'Tokens',
          of: 'GET /api/admin/tokens',
          content: <TokenList title="Tokens" owner={{ VendorId: vendor.VendorId }} />,
        },
        usePeopleTab({ VendorId: vendor.VendorId }),
        { name: 'Payments', of: 'GET /api/admin/payments', content: <VendorPayments vendor={vendor} /> },
        { name: 'Callback', of: 'GET /api/admin/webhook-deliveries', content: <VendorDeliveries vendor={vendor} /> },
      ]}
    />
  );
}

function VendorPayments({ vendor: { VendorId } }: { readonly vendor: Vendor }) {
  return <List {...PAYMENTS} given={{ query: { VendorId } }} limit={20} />;
}

function VendorBillers({ vendor }: { readonly vendor: Vendor }) {
  const billers = useBillers();
  return (
    <VisibilityPanel
      title="Billers it sees"
      query={useQuery(live('GET /api/admin/vendors/:vendorId/billers', { params: { vendorId: vendor.VendorId } }))}
      idsOf={({ BillerCodes }) => BillerCodes}
      choices={useBillerChoices()}
      grantLabel="Biller to grant"
      pairOf={(billerCode) => ({ vendorId: vendor.VendorId, billerCode })}
      show={(code) => {
        const biller = billers.find(({ Code }) => Code === code);
        return {
          link: <BillerLink code={code}>{biller?.Name}</BillerLink>,
          note: code,
          badge: biller && <BillerBadge biller={biller} />,
          vendorName: vendor.Name,
        };
      }}
      empty={
        <Empty icon="biller" title="None yet">
          Until a biller is granted to it, the vendor sees none and cannot pay.
        </Empty>
      }
    />
  );
}
