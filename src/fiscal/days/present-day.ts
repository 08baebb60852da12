import type * as contract from '../../contract/fiscal/day.ts';
import type { CurrencyReport, TaxLine } from '../core/day-report.ts';
import type { StoredDevice } from '../devices/device-row.ts';
import { type DayReport, dayStateOf } from './day-report.ts';
import type { DayRow, ReceiptOfDay } from './store.ts';

export function presentDay(day: DayRow, stored: StoredDevice): contract.FiscalDay {
  const { head } = stored;
  const isNewest = head.fiscalDayNumber === day.fiscalDayNumber;
  return {
    FiscalDayNumber: day.fiscalDayNumber,
    State: dayStateOf(day, stored),
    Opened: wallText(day.openedWall),
    OpenedAt: day.openedAt.toISOString(),
    IsOpenConfirmed: day.openConfirmedAt !== null,
    Closed: day.closedWall === null ? day.closedText : wallText(day.closedWall),
    ClosedAt: day.closedAt?.toISOString() ?? null,
    CloseReason: day.closeReason,
    CloseError: day.closeError,
    Reconciliation: day.reconciliation,
    ReceiptCount: isNewest ? head.fiscalDayCounter : day.receiptCount,
  };
}

/** Times without an offset are those of the device, as they are printed. */
export function presentReport(report: DayReport): contract.DayReport {
  const { day, device, seller } = report;
  return {
    Kind: report.kind,
    Seller: {
      TaxpayerName: seller.taxpayerName,
      TIN: seller.tin,
      VatNumber: seller.vatNumber,
      BranchName: seller.branchName,
      BranchAddress: objectOf(seller.branchAddress),
      BranchContacts: objectOf(seller.branchContacts),
    },
    AuthorityDeviceId: device.deviceId,
    DeviceSerialNumber: device.serialNumber,
    FiscalDayNumber: day.fiscalDayNumber,
    State: report.state,
    Opened: wallText(day.openedWall),
    Closed: day.closedWall === null ? day.closedText : wallText(day.closedWall),
    Reconciliation: day.reconciliation,
    Closing: report.closing ?? null,
    ReceiptCount: report.receiptCount,
    FirstReceipt: presentReceipt(report.first),
    LastReceipt: presentReceipt(report.last),
    Currencies: report.currencies.map(presentCurrency),
  };
}

export function presentCurrency(one: CurrencyReport): contract.CurrencySums {
  return {
    Currency: one.currency,
    NetSales: one.net.map(presentLine),
    TotalNet: one.totalNet,
    Taxes: one.tax.map(presentLine),
    TotalTax: one.totalTax,
    GrossSales: one.gross.map(presentLine),
    TotalGross: one.totalGross,
    ...presentDocuments(one),
    Balances: one.balances.map(({ moneyType, amount }) => ({ MoneyType: moneyType, Amount: amount })),
    OtherCounters: one.others.map(({ name, amount }) => ({ Name: name, Amount: amount })),
  };
}

export function presentDocuments({ documents, totalDocuments }: Pick<CurrencyReport, 'documents' | 'totalDocuments'>) {
  return {
    Documents: documents.map(({ type, quantity, amount }) => ({ Type: type, Quantity: quantity, Amount: amount })),
    TotalDocuments: { Quantity: totalDocuments.quantity, Amount: totalDocuments.amount },
  };
}

function presentReceipt(receipt: ReceiptOfDay | undefined) {
  if (receipt === undefined) return null;
  const { fiscalDayCounter, globalCounter, reference } = receipt;
  return { FiscalDayCounter: fiscalDayCounter, GlobalCounter: globalCounter, Reference: reference };
}

function presentLine({ taxId, taxName, taxPercent, amount }: TaxLine) {
  return { TaxId: taxId, TaxName: taxName, TaxPercent: taxPercent, Amount: amount };
}

function objectOf(json: string | null): object | null {
  return json === null ? null : (JSON.parse(json) as object);
}

/** PostgreSQL writes a space. */
export function wallText(text: string): string {
  return text.replace(' ', 'T');
}
