import { Grid, Stack } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { add, decimal, formatDecimal, ZERO } from '../../../src/kernel/decimal.ts';
import type { Alert, Device, Overview } from '../api/answers.ts';
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
import { clientsOf } from '../taxpayer/taxpayer-lists.tsx';
import { DELIVERIES } from '../vendor/vendor-deliveries.tsx';
import { Attention, DayStates, LatestReceipts } from './overview.tsx';
import { Figures } from './overview-figures.tsx';
import { TodayTotals } from './today-totals.tsx';

/** The overview of a tenant's people: of what is theirs, what needs somebody and what is newest. */
export function OwnOverview() {
  const { Tenant } = usePerson();
  const maySell = useMay('GET /api/admin/devices');
  const mayBePaid = useMay('GET /api/admin/payments');
  return (
    <Page title="Overview" lead={Tenant.Name}>
      <Stack gap="md">
        {maySell && <Shop />}
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

function Shop() {
  const devices = useQuery(live('GET /api/admin/devices', { query: { Limit: 200 } })).data?.Devices;
  const alerts = useQuery(live('GET /api/admin/alerts', { query: { Limit: 200 } })).data?.Alerts;
  const receipts = useQuery(live('GET /api/admin/receipts', { query: { Limit: SHOWN } })).data?.Receipts;
  if (devices === undefined || alerts === undefined || receipts === undefined) return <Waiting rows={8} />;
  const overview = overviewOf(devices, alerts);
  const { Alerts, DaysNearMaximum, CertificatesExpiring } = overview;
  return (
    <>
      <Figures overview={overview} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            {Alerts.Newest.length + DaysNearMaximum.length + CertificatesExpiring.length > 0 && (
              <Attention overview={overview} />
            )}
            <LatestReceipts receipts={receipts.map(({ Receipt, ...found }) => ({ ...Receipt, ...found }))} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <OpenDayTotals devices={devices} />
            <DayStates devices={overview.Devices} />
          </Stack>
        </Grid.Col>
      </Grid>
      <List {...DEVICES} title="Devices" aside={<TextLink to="/devices">All devices</TextLink>} limit={SHOWN} isShort />
    </>
  );
}

const HOUR_MS = 3600_000;

/** What the overview of the installation says of all devices, of these. */
function overviewOf(devices: readonly Device[], alerts: readonly Alert[]) {
  const count = (is: (device: Device) => boolean) => devices.filter(is).length;
  const byDay = (some: readonly Device[]) =>
    Object.fromEntries(
      [...new Set(some.map(({ FiscalDay }) => FiscalDay.State))].map((state) => [
        state,
        some.filter(({ FiscalDay }) => FiscalDay.State === state).length,
      ]),
    );
  const waiting = (some: readonly Device[]) =>
    some.reduce((sum, { Submission }) => sum + Submission.WaitingReceipts, 0);
  const stopped = devices.filter(({ Submission }) => Submission.IsStopped);
  const oldest = devices.flatMap(({ Submission: { WaitingSince } }) => WaitingSince ?? []).toSorted()[0];
  const deadlines = (of: (device: Device) => string | null, hours: number) =>
    devices.flatMap((device) => {
      const At = of(device);
      return At !== null && Date.parse(At) - Date.now() < hours * HOUR_MS ? [{ ...device, At }] : [];
    });
  return {
    Devices: {
      DayStates: byDay(devices),
      Blocked: count(({ State }) => State === 'Blocked'),
      Stopped: stopped.length,
      Red: count(({ FiscalDay }) => FiscalDay.RedReceipts.length > 0),
      StoppedDayStates: byDay(stopped),
    },
    Backlog: {
      Receipts: waiting(devices),
      BehindStop: waiting(stopped),
      OldestSeconds: oldest === undefined ? 0 : Math.round((Date.now() - Date.parse(oldest)) / 1000),
    },
    Alerts: {
      Unacknowledged: alerts.filter(({ AcknowledgedAt }) => AcknowledgedAt === null).length,
      Newest: alerts.slice(0, SHOWN),
    },
    CertificatesExpiring: deadlines(({ CertificateValidTill }) => CertificateValidTill, 30 * 24),
    DaysNearMaximum: deadlines(({ FiscalDay }) => FiscalDay.EndsAt, 3),
  } satisfies Partial<Overview>;
}

const REPORTED = 20;

/** What was sold in the days that are open, from their X reports. */
function OpenDayTotals({ devices }: { readonly devices: readonly Device[] }) {
  const reports = useQueries({
    queries: devices
      .filter(({ FiscalDay }) => FiscalDay.Number > 0 && FiscalDay.State !== 'Closed')
      .slice(0, REPORTED)
      .map(({ AuthorityDeviceId: authorityDeviceId, FiscalDay }) =>
        live('GET /api/admin/devices/:authorityDeviceId/days/:fiscalDayNumber/report', {
          params: { authorityDeviceId, fiscalDayNumber: FiscalDay.Number },
        }),
      ),
  });
  const counted = reports.flatMap(({ data }) => data?.Currencies ?? []);
  const totals = [...new Set(counted.map(({ Currency }) => Currency))].map((Currency) => {
    const documents = counted.filter((one) => one.Currency === Currency).map(({ TotalDocuments }) => TotalDocuments);
    return {
      Currency,
      count: documents.reduce((sum, { Quantity }) => sum + Quantity, 0),
      Total: formatDecimal(documents.reduce((sum, { Amount }) => add(sum, decimal(String(Amount))), ZERO)),
    };
  });
  return <TodayTotals title="Sold in the open days" totals={totals} noun="receipt" />;
}

/** How far a biller's collection has come. */
function Collection({ billerCode }: { readonly billerCode: string }) {
  const { data: biller } = useQuery(live('GET /api/admin/billers/:billerCode', { params: { billerCode } }));
  return biller && hasTarget(biller) ? <BillerTarget biller={biller} /> : null;
}
