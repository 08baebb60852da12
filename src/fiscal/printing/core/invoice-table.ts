/** The table of an A4 invoice and what stands under it, specification §10.2. */
import type { Fact, PrintedDocument, PrintedLine } from './printed-document.ts';

export interface TableColumn {
  readonly title: string;
  readonly isNumber: boolean;
  readonly value: (line: PrintedLine) => string;
}

const code: TableColumn = { title: 'Code', isNumber: false, value: (line) => line.hsCode };
const description: TableColumn = { title: 'Description', isNumber: false, value: (line) => line.name };
const number = (title: string, value: TableColumn['value']): TableColumn => ({ title, isNumber: true, value });
const quantity = number('Qty', (line) => line.quantity);

/** Description is always the second. Who is not registered for VAT has no column of it. */
export function invoiceColumns({ isInclusive, isVatPayer }: PrintedDocument): readonly TableColumn[] {
  const start = [code, description, quantity];
  const price = (title: string) => number(title, (line) => line.unitPrice);
  const vat = number('VAT', (line) => line.vat);
  const withTax = (title: string) => number(title, (line) => line.amountWithTax);
  if (!isVatPayer) return [...start, price('Price'), withTax('Total amount')];
  if (isInclusive) return [...start, price('Price (incl. tax)'), vat, withTax('Total amount (incl. tax)')];
  return [
    ...start,
    price('Price (excl. tax)'),
    number('Amount (excl. tax)', (line) => line.amount),
    vat,
    withTax('Total amount (incl. tax)'),
  ];
}

/** Before the total itself. An exempt sale has no tax to total. */
export function subtotals({ totalWithoutTax, taxes, isVatPayer }: PrintedDocument): Fact[] {
  return [
    ...(totalWithoutTax === undefined ? [] : [{ label: 'Total (excl. tax)', value: totalWithoutTax }]),
    ...(isVatPayer
      ? taxes.filter((tax) => tax.rate !== 'Exempt').map((tax) => ({ label: `Total ${tax.rate} VAT`, value: tax.vat }))
      : []),
  ];
}

/** The tax table: one row per rate. Empty for who is not registered for VAT. */
export function taxTable({ taxes, isVatPayer }: PrintedDocument): readonly (readonly string[])[] {
  if (!isVatPayer) return [];
  return [
    ['VAT', 'Net amount', 'VAT amount', 'Gross amount'],
    ...taxes.map((tax) => [tax.rate, tax.net, tax.vat, tax.gross]),
  ];
}

export function paymentFacts({ payments, currency }: PrintedDocument): Fact[] {
  return payments.map(({ label, value }) => ({ label: `${currency} ${label}`, value }));
}

/** `Price (incl. tax)` stands on two lines, so that a column need not be wider than its numbers. */
export function titleLines({ title }: TableColumn): string[] {
  return title.replace(' (', '\n(').split('\n');
}

/** A list in two columns, the first the longer one. */
export function halves<Item>(items: readonly Item[]): (readonly Item[])[] {
  const first = Math.ceil(items.length / 2);
  return [items.slice(0, first), items.slice(first)];
}
