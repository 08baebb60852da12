import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { Biller } from '../api/answers.ts';
import { live } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { BillerBadge } from '../parts/billpay-badges.tsx';
import { PageTabs } from '../parts/page-tabs.tsx';
import { Page } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';
import { TokenList } from '../parts/tokens.tsx';
import { useTimes } from '../parts/use-times.ts';
import { usePeopleTab } from '../people/people-list.tsx';
import { ActAs } from '../shell/acting-for.tsx';
import { BillerFeed } from './biller-feed.tsx';
import { BillerForm } from './biller-form.tsx';
import { BillerMembers } from './biller-members.tsx';
import { BillerTarget } from './biller-target.tsx';
import { BillerVendors } from './biller-vendors.tsx';
import { BillerFlags, hasTarget } from './billers.tsx';

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
