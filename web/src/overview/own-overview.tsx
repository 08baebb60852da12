import { Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { live } from '../api/queries.ts';
import { useMay, usePerson } from '../api/session.ts';
import { BillerTarget } from '../biller/biller-target.tsx';
import { hasTarget } from '../biller/billers.tsx';
import { DEVICES } from '../device/devices.tsx';
import { TextLink } from '../parts/links.tsx';
import { List } from '../parts/list.tsx';
import { Page } from '../parts/panel.tsx';
import { Waiting } from '../parts/states.tsx';
import { PAYMENTS } from '../payment/payments.tsx';
import { clientsOf } from '../taxpayer/taxpayers.tsx';
import { DELIVERIES } from '../vendor/vendor-deliveries.tsx';
import { Attention, DayStates, LatestReceipts } from './overview.tsx';
import { Figures, TodayTotals } from './overview-figures.tsx';

/** The overview of a tenant's people: of what is theirs, what needs somebody and what is newest. */
export function OwnOverview() {
  const { Tenant } = usePerson();
  const mayBePaid = useMay('GET /api/admin/payments');
  return (
    <Page title="Overview" lead={Tenant.Name}>
      <Stack gap="md">
        {Tenant.Kind === 'taxpayer' && Tenant.Id !== null && <Shop taxpayerId={Tenant.Id} />}
        {Tenant.Kind === 'biller' && Tenant.Id !== null && <Collection billerCode={Tenant.Id} />}
        {mayBePaid && (
          <List
            {...PAYMENTS}
            title="Latest payments"
            aside={<TextLink to="/payments">All payments</TextLink>}
            limit={8}
            isShort
          />
        )}
        {useMay(DELIVERIES.of) && <List {...DELIVERIES} title="Latest notifications" limit={5} isShort />}
        {Tenant.Kind === 'practice' && Tenant.Id !== null && (
          <List {...clientsOf(Tenant.Id)} title="Taxpayers" limit={20} isShort />
        )}
      </Stack>
    </Page>
  );
}

const SHOWN = 5;

function Shop({ taxpayerId }: { readonly taxpayerId: string }) {
  const overview = useQuery(live('GET /api/admin/taxpayers/:taxpayerId/overview', { params: { taxpayerId } })).data;
  const receipts = useQuery(live('GET /api/admin/receipts', { query: { Limit: SHOWN } })).data?.Receipts;
  if (overview === undefined || receipts === undefined) return <Waiting rows={8} />;
  const { Alerts, DaysNearMaximum, CertificatesExpiring, OpenDays } = overview;
  const totals = OpenDays.map(({ Receipts, ...total }) => ({ ...total, count: Receipts }));
  return (
    <>
      <Figures overview={overview} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            {Alerts.Newest.length + DaysNearMaximum.length + CertificatesExpiring.length > 0 && (
              <Attention overview={{ ...overview, Alerts: { ...Alerts, Newest: Alerts.Newest.slice(0, SHOWN) } }} />
            )}
            <LatestReceipts receipts={receipts.map(({ Receipt, ...found }) => ({ ...Receipt, ...found }))} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <TodayTotals title="Sold in the open days" totals={totals} noun="receipt" />
            <DayStates devices={overview.Devices} />
          </Stack>
        </Grid.Col>
      </Grid>
      <List {...DEVICES} title="Devices" aside={<TextLink to="/devices">All devices</TextLink>} limit={SHOWN} isShort />
    </>
  );
}

/** How far a biller's collection has come. */
function Collection({ billerCode }: { readonly billerCode: string }) {
  const { data: biller } = useQuery(live('GET /api/admin/billers/:billerCode', { params: { billerCode } }));
  return biller && hasTarget(biller) ? <BillerTarget biller={biller} /> : null;
}
