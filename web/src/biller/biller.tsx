import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Biller } from '../api/answers.ts';
import { useVendorChoices, useVendors } from '../api/choices.ts';
import { live } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { SuspensionBadge } from '../parts/badges.tsx';
import { BillerBadge } from '../parts/billpay-badges.tsx';
import { count, money } from '../parts/format.ts';
import { VendorLink } from '../parts/links.tsx';
import { List } from '../parts/list.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Page } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { TokenList } from '../parts/tokens.tsx';
import { useTimes } from '../parts/use-times.ts';
import { usePeopleTab } from '../people/people-list.tsx';
import { ActAs } from '../shell/acting-for.tsx';
import { BillerForm } from './biller-form.tsx';
import { BillerTarget } from './biller-target.tsx';
import { BillerFlags, hasTarget } from './billers.tsx';
import { CurrencyChoice } from './currency-choice.tsx';
import { VisibilityPanel } from './visibility.tsx';

export function BillerPage() {
  const { moment } = useTimes();
  const { billerCode = '' } = useParams({ strict: false });
  const biller = useQuery(live('GET /api/admin/billers/:billerCode', { params: { billerCode } }));
  const found = biller.data;
  return (
    <Page
      title={found?.Name ?? billerCode}
      back={{ to: '/billers', label: 'Billers' }}
      badges={
        found && (
          <>
            <BillerBadge biller={found} />
            <BillerFlags biller={found} />
          </>
        )
      }
      actions={<ActAs kind="biller" id={billerCode} />}
      lead={found && `${found.Code}, revision ${found.Revision} of ${moment(found.ChangedAt)}`}
    >
      <Loaded query={biller} rows={8}>
        {(detail) => <BillerTabs key={detail.Code} biller={detail} />}
      </Loaded>
    </Page>
  );
}

function BillerTabs({ biller }: { readonly biller: Biller }) {
  const mayTarget = useMay('GET /api/admin/billers/:billerCode/target');
  return (
    <Stack gap="md">
      {mayTarget && hasTarget(biller) && <BillerTarget biller={biller} />}
      <PageTabs
        tabs={[
          { name: 'Settings', content: <BillerForm biller={biller} />, isKept: true },
          {
            name: 'Vendors',
            of: 'GET /api/admin/billers/:billerCode/vendors',
            content: <BillerVendors biller={biller} />,
          },
          {
            name: 'Members',
            of: 'GET /api/admin/billers/:billerCode/members',
            content: <BillerMembers biller={biller} />,
          },
          { name: 'Feed', of: 'GET /api/admin/billers/:billerCode/feed', content: <BillerFeed biller={biller} /> },
          {
            name: 'Tokens',
            of: 'GET /api/admin/tokens',
            content: <TokenList title="Tokens" owner={{ BillerCode: biller.Code }} />,
          },
          usePeopleTab({ BillerCode: biller.Code }),
        ]}
      />
    </Stack>
  );
}

export function NewBillerPage() {
  const navigate = useNavigate();
  return (
    <Page
      title="Add a biller"
      back={{ to: '/billers', label: 'Billers' }}
      lead="No vendor sees it until it is granted to one."
    >
      <BillerForm onAdded={(code) => void navigate({ to: `/billers/${code}` })} />
    </Page>
  );
}

/** Who has paid, whoever paid last first. */
function BillerMembers({ biller }: { readonly biller: Biller }) {
  return (
    <List
      of="GET /api/admin/billers/:billerCode/members"
      items="Members"
      given={{ params: { billerCode: biller.Code } }}
      icon="operator"
      none="Nobody has paid yet"
      keyOf={({ MemberNumber }) => MemberNumber}
      columns={[
        { name: 'Member', cell: ({ MemberNumber }) => <b>{MemberNumber}</b> },
        { name: 'Payments', cell: ({ Payments }) => count(Payments), isNumber: true },
        { name: 'Last paid', cell: ({ LastPaidAt }, { moment }) => moment(LastPaidAt) },
        {
          name: 'Paid in all',
          cell: ({ Totals }) => <b>{Totals.map(({ Currency, Amount }) => money(Amount, Currency)).join(', ')}</b>,
          isNumber: true,
        },
      ]}
    />
  );
}

/** What every vendor that sees the biller may show publicly, newest first. */
function BillerFeed({ biller }: { readonly biller: Biller }) {
  const [currency, setCurrency] = useState(biller.Currencies[0] ?? '');
  return (
    <List
      title="Feed"
      aside={
        <CurrencyChoice
          label="Currency of the feed"
          currencies={biller.Currencies}
          value={currency}
          onChange={setCurrency}
        />
      }
      of="GET /api/admin/billers/:billerCode/feed"
      items="Items"
      given={{ params: { billerCode: biller.Code }, query: { Currency: currency } }}
      limit={20}
      icon="payments"
      none={`Nothing paid in ${currency} yet`}
      keyOf={({ Date: at }) => at}
      columns={[
        { name: 'Member', cell: ({ MemberNumber }) => <b>{MemberNumber}</b> },
        { name: 'Paid', cell: ({ Date: at }, { moment }) => moment(at, true) },
        {
          name: 'Said with it',
          isText: true,
          cell: ({ MetaData }) => MetaData.map(({ Key, Value }) => `${Key}: ${Value}`).join(', '),
        },
        { name: 'Amount', cell: ({ Amount }) => <b>{money(Amount, currency)}</b>, isNumber: true },
      ]}
    >
      <Text c="dimmed" px="md" pb="sm">
        {biller.AllowFeed
          ? 'Vendors that see this biller get these payments, including those through other vendors.'
          : 'Vendors do not get it: the feed is switched off in the settings. Only operators see it here.'}
      </Text>
    </List>
  );
}

/** Which vendors may take payments for the biller. */
function BillerVendors({ biller }: { readonly biller: Biller }) {
  const vendors = useVendors();
  return (
    <VisibilityPanel
      title="Vendors that see it"
      query={useQuery(live('GET /api/admin/billers/:billerCode/vendors', { params: { billerCode: biller.Code } }))}
      idsOf={({ VendorIds }) => VendorIds}
      choices={useVendorChoices()}
      grantLabel="Vendor to grant it to"
      pairOf={(vendorId) => ({ vendorId, billerCode: biller.Code })}
      show={(vendorId) => {
        const vendor = vendors.find(({ VendorId }) => VendorId === vendorId);
        const vendorName = vendor?.Name ?? vendorId;
        return {
          link: <VendorLink vendorId={vendorId}>{vendorName}</VendorLink>,
          note: vendor?.Code,
          badge: vendor && <SuspensionBadge of={vendor} />,
          vendorName,
        };
      }}
      empty={
        <Empty icon="vendor" title="None yet">
          Until it is granted to a vendor, no vendor sees the biller and it cannot be paid.
        </Empty>
      }
    />
  );
}
