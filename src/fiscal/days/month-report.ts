import * as contract from '../../contract/fiscal/month.ts';
import type { Taxpayer } from '../../contract/fiscal/taxpayer.ts';
import { CSV_START, type CsvCell, csvLine } from '../../kernel/csv.ts';
import { formatDecimal, formatFixed } from '../../kernel/decimal.ts';
import type { CashierReport, MonthSums } from '../core/month-report.ts';
import { groupedAmountText, longDateText, plainText } from '../printing/core/print-text.ts';
import type { Fact } from '../printing/core/printed-document.ts';
import { sellerFacts } from '../printing/core/seller.ts';
import type { DatedReport } from '../printing/print-report.ts';
import type { OpenDay } from './month-store.ts';
import { presentCurrency, presentDocuments, wallText } from './present-day.ts';

/** The month as it is answered, printed and downloaded. */
export interface MonthReport extends MonthSums {
  readonly taxpayer: Taxpayer;
  /** `2026-11`. */
  readonly month: string;
  readonly openDays: readonly (OpenDay & { readonly sales: readonly Omit<CashierReport, 'cashier'>[] })[];
}

const daysIn = ({ devices }: MonthSums) => devices.reduce((sum, { days }) => sum + days, 0);
/** A report with more devices is drawn by the process for long documents. */
const SHORT_DEVICES = 5;

export function presentMonth(report: MonthReport): contract.SalesMonth {
  const { taxpayer } = report;
  return {
    TaxpayerId: taxpayer.TaxpayerId,
    TaxpayerName: taxpayer.Name,
    TIN: taxpayer.TIN,
    VatNumber: taxpayer.VatNumber,
    Month: report.month,
    Days: daysIn(report),
    Currencies: report.currencies.map(presentCurrency),
    Devices: report.devices.map((device) => ({
      AuthorityDeviceId: device.deviceId,
      DeviceSerialNumber: device.serialNumber,
      Days: device.days,
      Currencies: device.currencies.map(presentCurrency),
    })),
    Cashiers: report.cashiers.map((one) => ({
      Cashier: one.cashier,
      Currency: one.currency,
      ...presentDocuments(one),
    })),
    OpenDays: report.openDays.map((day) => ({
      AuthorityDeviceId: day.deviceId,
      FiscalDayNumber: day.fiscalDayNumber,
      Opened: wallText(day.opened),
      Sales: day.sales.map((one) => ({ Currency: one.currency, ...presentDocuments(one) })),
    })),
  };
}

/** In the style of a Z report; dated with its month, so that the same month is the same file. */
export function printedMonth(report: MonthReport): DatedReport {
  const { taxpayer, month, currencies, devices, cashiers, openDays } = report;
  const line = (label: string, sum: Omit<CashierReport, 'cashier'>): Fact => ({
    label: `${plainText(label)}, ${sum.totalDocuments.quantity}`,
    value: `${sum.currency} ${groupedAmountText(sum.totalDocuments.amount)}`,
  });
  const parts = [
    { heading: 'All devices', currencies },
    ...(devices.length < 2
      ? []
      : devices.map((device) => ({ heading: `Device ${device.deviceId}`, currencies: device.currencies }))),
    { heading: 'Cashiers, receipts', lines: cashiers.map((one) => line(one.cashier ?? 'Nobody named', one)) },
    {
      heading: 'Days still open: not in the sums',
      lines: openDays.flatMap(({ deviceId, fiscalDayNumber, opened, sales }) => [
        { label: `Device ${deviceId}, day ${fiscalDayNumber}`, value: longDateText(opened) },
        ...sales.map((one) => line('  Receipts', one)),
      ]),
    },
  ];
  return {
    seller: sellerFacts({
      tin: taxpayer.TIN,
      vatNumber: taxpayer.VatNumber,
      taxpayerName: taxpayer.Name,
      branchName: null,
      branchAddress: null,
      branchContacts: null,
    }),
    title: 'SALES AND VAT',
    facts: [
      { label: 'Month', value: month },
      { label: 'Fiscal days opened in it and closed', value: String(daysIn(report)) },
      { label: 'Devices', value: String(devices.length) },
    ],
    parts: parts.filter((part) => !('lines' in part) || part.lines.length > 0),
    name: `Sales and VAT of ${month}`,
    date: new Date(`${month}-01T00:00:00Z`),
    isLong: devices.length > SHORT_DEVICES,
  };
}

type Column = keyof typeof contract.MONTH_CSV;
const COLUMNS = Object.keys(contract.MONTH_CSV) as Column[];

/** Nothing in it is a sum of other lines of the same part: whoever adds up a part has the month. */
export function monthCsv({ devices, cashiers, openDays }: MonthReport): string {
  const ofDocuments = ({ currency, totalDocuments: { quantity, amount } }: Omit<CashierReport, 'cashier'>) => ({
    Currency: currency,
    Gross: formatFixed(amount, 2),
    Receipts: quantity,
  });
  const lines: Partial<Record<Column, CsvCell>>[] = [
    ...devices.flatMap(({ deviceId, currencies }) =>
      currencies.flatMap(({ currency, net, gross, tax }) =>
        gross.map(({ taxId, taxName, taxPercent, amount }, index) => {
          const own = tax.find((one) => one.taxId === taxId && one.taxPercent === taxPercent);
          return {
            Part: 'Tax',
            AuthorityDeviceId: deviceId,
            Currency: currency,
            Tax: taxName,
            TaxPercent: taxPercent && formatDecimal(taxPercent),
            Net: formatFixed(net[index]?.amount ?? amount, 2),
            TaxAmount: own === undefined ? '0.00' : formatFixed(own.amount, 2),
            Gross: formatFixed(amount, 2),
          };
        }),
      ),
    ),
    ...cashiers.map((one) => ({ Part: 'Cashier', Cashier: one.cashier, ...ofDocuments(one) })),
    ...openDays.flatMap(({ deviceId, fiscalDayNumber, sales }) =>
      sales.map((one) => ({
        Part: 'Open day',
        AuthorityDeviceId: deviceId,
        FiscalDayNumber: fiscalDayNumber,
        ...ofDocuments(one),
      })),
    ),
  ];
  return (
    CSV_START +
    [COLUMNS, ...lines.map((line) => COLUMNS.map((name) => line[name]))].map((cells) => csvLine(cells)).join('')
  );
}
