import { type Decimal, formatDecimal, formatFixed } from '../../kernel/decimal.ts';
import type { TaxLine } from '../core/day-report.ts';
import type { DayReport } from './day-report.ts';

/** Node 24 has it; the library of TypeScript does not say so yet. A decimal leaves with all its digits, as a number. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => object };
const amount = (value: Decimal) => rawJSON(formatFixed(value, 2));

/** The report as JSON text. Times without an offset are those of the device, as they are printed. */
export function dayReportText(report: DayReport): string {
  const { day, device, seller } = report;
  return JSON.stringify({
    Kind: report.kind,
    Seller: {
      TaxpayerName: seller.taxpayerName,
      TIN: seller.tin,
      VatNumber: seller.vatNumber,
      BranchName: seller.branchName,
      BranchAddress: seller.branchAddress === null ? null : rawJSONObject(seller.branchAddress),
      BranchContacts: seller.branchContacts === null ? null : rawJSONObject(seller.branchContacts),
    },
    AuthorityDeviceId: device.deviceId,
    DeviceSerialNumber: device.serialNumber,
    FiscalDayNumber: day.fiscalDayNumber,
    State: report.state,
    Opened: day.openedWall.replace(' ', 'T'),
    Closed: day.closedWall?.replace(' ', 'T') ?? null,
    Reconciliation: day.reconciliation,
    ReceiptCount: report.receiptCount,
    Currencies: report.currencies.map((one) => ({
      Currency: one.currency,
      NetSales: one.net.map(presentLine),
      TotalNet: amount(one.totalNet),
      Taxes: one.tax.map(presentLine),
      TotalTax: amount(one.totalTax),
      GrossSales: one.gross.map(presentLine),
      TotalGross: amount(one.totalGross),
      Documents: one.documents.map((sum) => ({ Type: sum.type, Quantity: sum.quantity, Amount: amount(sum.amount) })),
      TotalDocuments: { Quantity: one.totalDocuments.quantity, Amount: amount(one.totalDocuments.amount) },
      Balances: one.balances.map((balance) => ({ MoneyType: balance.moneyType, Amount: amount(balance.amount) })),
      OtherCounters: one.others.map((other) => ({ Name: other.name, Amount: amount(other.amount) })),
    })),
  });
}

function presentLine(line: TaxLine) {
  return {
    TaxId: line.taxId,
    TaxName: line.taxName,
    TaxPercent: line.taxPercent === null ? null : rawJSON(formatDecimal(line.taxPercent)),
    Amount: amount(line.amount),
  };
}

function rawJSONObject(text: string): object {
  return JSON.parse(text) as object;
}
