import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Amount, AnswerAt } from '../api/answers.ts';
import { useTaxpayerChoices } from '../api/choices.ts';
import { call } from '../api/client.ts';
import { usePerson } from '../api/session.ts';
import { DataTable, WithNote } from '../parts/data-table.tsx';
import { count, money, percent, plainMoney } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { DeviceLink } from '../parts/links.tsx';
import { Notice } from '../parts/notice.tsx';
import { Page, Panel } from '../parts/panel.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { useFilter } from '../parts/use-filter.ts';

type SalesMonth = AnswerAt<'GET /api/admin/taxpayers/:taxpayerId/months/:month'>;
type Sums = SalesMonth['Currencies'][number];
type MonthFilter = { readonly TaxpayerId?: string; readonly Month?: string; readonly Device?: string };

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;

/** What an accountant asks for at the end of a month. */
export function MonthPage() {
  const { Tenant } = usePerson();
  const { filter, narrow, choice } = useFilter<MonthFilter>('/months');
  const taxpayers = useTaxpayerChoices();
  const isOwn = Tenant.Kind === 'taxpayer';
  const [only] = taxpayers.length === 1 ? taxpayers : [];
  const taxpayerId = isOwn ? Tenant.Id : (filter.TaxpayerId ?? only?.value);
  const month = filter.Month ?? new Date().toISOString().slice(0, 7);
  const params = { taxpayerId: taxpayerId ?? '', month };
  const found = useQuery({
    queryKey: ['month', params],
    queryFn: ({ signal }) => call('GET /api/admin/taxpayers/:taxpayerId/months/:month', { params, signal }),
    enabled: taxpayerId !== undefined && MONTH.test(month),
  });
  return (
    <Page
      title="Sales and VAT"
      lead="The sum of the fiscal days that were opened in a month, as their Z reports count them."
      isTimeless
      actions={found.data && <Downloads path={`/api/admin/taxpayers/${params.taxpayerId}/months/${month}`} />}
    >
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Month"
          type="month"
          placeholder="2026-11"
          value={month}
          onChange={(event) => narrow({ Month: event.currentTarget.value })}
        />
        {!isOwn && (
          <Select
            label="Taxpayer"
            placeholder="Choose one"
            searchable
            data={taxpayers}
            {...choice('TaxpayerId')}
            value={taxpayerId ?? null}
          />
        )}
        {found.data && found.data.Devices.length > 1 && (
          <Select
            label="Device"
            placeholder="All"
            data={found.data.Devices.map(({ AuthorityDeviceId: id }) => String(id))}
            {...choice('Device')}
          />
        )}
      </Group>
      {taxpayerId === undefined ? (
        <Panel>
          <Empty icon="taxpayer" title="Choose a taxpayer" />
        </Panel>
      ) : (
        <Loaded query={found}>{(sums) => <Figures month={sums} device={filter.Device} />}</Loaded>
      )}
    </Page>
  );
}

function Downloads({ path }: { readonly path: string }) {
  return ['pdf', 'csv'].map((format) => (
    <Button
      key={format}
      component="a"
      href={`${path}?format=${format}`}
      target="_blank"
      rel="noreferrer"
      variant="default"
      leftSection={<Icon name={format === 'pdf' ? 'print' : 'download'} size={16} />}
    >
      {format.toUpperCase()}
    </Button>
  ));
}

function Figures({ month, device }: { readonly month: SalesMonth; readonly device: string | undefined }) {
  const one = month.Devices.find(({ AuthorityDeviceId }) => String(AuthorityDeviceId) === device);
  const { Currencies, Days } = one ?? month;
  return (
    <Stack gap="md">
      {month.OpenDays.length > 0 && <OpenDays days={month.OpenDays} />}
      {Currencies.length === 0 && (
        <Panel>
          <Empty icon="month" title={Days === 0 ? 'No closed day in this month' : 'No sales in this month'} />
        </Panel>
      )}
      {Currencies.map((sums) => (
        <Panel
          key={sums.Currency}
          title={`${sums.Currency}, ${one === undefined ? 'all devices' : `device ${device}`}`}
          aside={`${count(Days)} ${Days === 1 ? 'day' : 'days'}, ${count(sums.TotalDocuments.Quantity)} receipts`}
          flush
        >
          <Taxes sums={sums} />
        </Panel>
      ))}
      {one === undefined && month.Devices.length > 1 && <Devices devices={month.Devices} />}
      {one === undefined && month.Cashiers.length > 0 && <Cashiers cashiers={month.Cashiers} />}
    </Stack>
  );
}

function Taxes({ sums }: { readonly sums: Sums }) {
  const tax = (one: Sums['GrossSales'][number]) =>
    sums.Taxes.find(({ TaxId, TaxPercent }) => TaxId === one.TaxId && TaxPercent === one.TaxPercent)?.Amount ?? 0;
  const amount = (value: Amount) => plainMoney(value, sums.Currency);
  const rows = [
    ...sums.GrossSales.map((one, index) => ({
      name: one.TaxName.includes('%') ? one.TaxName : `${one.TaxName} ${percent(one.TaxPercent)}`,
      amounts: [sums.NetSales[index]?.Amount ?? 0, tax(one), one.Amount],
    })),
    { name: 'Total', amounts: [sums.TotalNet, sums.TotalTax, sums.TotalGross] },
  ];
  return (
    <DataTable
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        { name: 'Tax rate', cell: ({ name }) => (name === 'Total' ? <b>{name}</b> : name) },
        ...['Net', 'Tax', 'With tax'].map((name, index) => ({
          name,
          isNumber: true,
          cell: (row: (typeof rows)[number]) =>
            row.name === 'Total' ? <b>{amount(row.amounts[index] ?? 0)}</b> : amount(row.amounts[index] ?? 0),
        })),
      ]}
    />
  );
}

function Devices({ devices }: { readonly devices: SalesMonth['Devices'] }) {
  return (
    <Panel title="Devices" flush>
      <DataTable
        rows={devices.flatMap((device) => device.Currencies.map((sums) => ({ device, sums })))}
        keyOf={({ device, sums }) => `${device.AuthorityDeviceId} ${sums.Currency}`}
        columns={[
          {
            name: 'Device',
            cell: ({ device }) => (
              <WithNote note={device.DeviceSerialNumber}>
                <DeviceLink deviceId={device.AuthorityDeviceId}>{device.AuthorityDeviceId}</DeviceLink>
              </WithNote>
            ),
          },
          { name: 'Days', isNumber: true, isLesser: true, cell: ({ device }) => count(device.Days) },
          { name: 'Receipts', isNumber: true, cell: ({ sums }) => count(sums.TotalDocuments.Quantity) },
          { name: 'Tax', isNumber: true, cell: ({ sums }) => money(sums.TotalTax, sums.Currency) },
          { name: 'With tax', isNumber: true, cell: ({ sums }) => <b>{money(sums.TotalGross, sums.Currency)}</b> },
        ]}
      />
    </Panel>
  );
}

function Cashiers({ cashiers }: { readonly cashiers: SalesMonth['Cashiers'] }) {
  type Cashier = SalesMonth['Cashiers'][number];
  const notes = ({ Documents }: Cashier) => Documents.find(({ Type }) => Type === 'CreditNote');
  return (
    <Panel title="Cashiers" flush>
      <DataTable
        rows={cashiers}
        keyOf={({ Cashier, Currency }) => `${Currency} ${Cashier}`}
        columns={[
          { name: 'Cashier', cell: ({ Cashier }) => Cashier ?? 'Nobody named' },
          { name: 'Receipts', isNumber: true, cell: ({ TotalDocuments }) => count(TotalDocuments.Quantity) },
          {
            name: 'Credit notes',
            isNumber: true,
            cell: (one) => `${count(notes(one)?.Quantity ?? 0)} · ${plainMoney(notes(one)?.Amount ?? 0, one.Currency)}`,
          },
          {
            name: 'With tax',
            isNumber: true,
            cell: ({ TotalDocuments, Currency }) => <b>{money(TotalDocuments.Amount, Currency)}</b>,
          },
        ]}
      />
    </Panel>
  );
}

function OpenDays({ days }: { readonly days: SalesMonth['OpenDays'] }) {
  return (
    <Notice color="blue" title="Days still open: not in the sums">
      {days.map(({ AuthorityDeviceId: id, FiscalDayNumber, Opened, Sales }) => (
        <div key={id}>
          <DeviceLink deviceId={id}>Device {id}</DeviceLink>, day {FiscalDayNumber} since{' '}
          {Opened.replace('T', ' ').slice(0, 16)}:{' '}
          {Sales.length === 0
            ? 'nothing sold yet'
            : Sales.map(({ Currency, TotalDocuments }) => money(TotalDocuments.Amount, Currency)).join(', ')}
        </div>
      ))}
    </Notice>
  );
}
