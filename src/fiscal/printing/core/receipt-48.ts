/**
 * The receipt of 48 columns, specification §10.1. It is given there for lines with tax only; lines
 * without it are headed so, and their tax is added up before the total.
 */
import type { Measure } from './columns.ts';
import { BLANK, type PaperRow, rowMaker, withRules } from './paper-rows.ts';
import type { PrintedDocument } from './printed-document.ts';

type RowMaker = ReturnType<typeof rowMaker>;

export function receipt48Rows(document: PrintedDocument, measure?: Measure): PaperRow[] {
  const { seller, buyer, original } = document;
  const maker = rowMaker(measure);
  const { leftRows, indentedRows, centreRows, factRows, itemRows } = maker;
  const labelled = (facts: PrintedDocument['facts']) =>
    facts.flatMap(({ label, value }) => factRows({ label: `${label}:`, value }));
  return withRules([
    [{ kind: 'logo' }, ...centreRows(seller.name, true), ...seller.lines.flatMap((line) => centreRows(line))],
    centreRows(document.title, true),
    buyer === undefined
      ? []
      : [...leftRows('BUYER', true), ...leftRows(buyer.name), ...buyer.lines.flatMap((line) => leftRows(line))],
    labelled(document.facts),
    original === undefined ? [] : [...leftRows(original.label, true), ...labelled(original.facts)],
    factRows({ label: 'Description', value: document.isInclusive ? 'Amount' : 'Amount (excl. tax)' }, true),
    document.lines.flatMap((line) => [...itemRows(line.name, line.amount), ...indentedRows(line.quantityText ?? '')]),
    settlement(document, maker),
    document.isVatPayer
      ? document.taxes.flatMap((tax) => [
          ...factRows({ label: 'Net Amount', value: tax.net }),
          ...factRows({ label: `VAT (${tax.rate})`, value: tax.vat }),
          ...factRows({ label: 'Gross Amount', value: tax.gross }),
        ])
      : [],
    document.note.flatMap((line) => leftRows(line)),
    verification(document, maker),
    document.footer.flatMap((line) => centreRows(line)),
  ]);
}

function settlement(document: PrintedDocument, { factRows }: RowMaker): PaperRow[] {
  const { currency, totalWithoutTax } = document;
  return [
    ...(totalWithoutTax === undefined
      ? []
      : [
          ...factRows({ label: 'Total (excl. tax)', value: totalWithoutTax }),
          ...document.taxes
            .filter((tax) => document.isVatPayer && tax.rate !== 'Exempt')
            .flatMap((tax) => factRows({ label: `Total ${tax.rate} VAT`, value: tax.vat })),
        ]),
    ...factRows({ label: `Total ${currency}`, value: document.total }, true),
    ...document.payments.flatMap(({ label, value }) => factRows({ label: `${currency} ${label}`, value })),
    ...factRows({ label: 'Number of Items', value: document.itemCount }),
  ];
}

function verification(
  { verification: { code, text, url, qrContent } }: PrintedDocument,
  { centreRows }: RowMaker,
): PaperRow[] {
  return [
    { kind: 'qr', content: qrContent },
    ...centreRows('Verification code :'),
    ...centreRows(code, true),
    BLANK,
    ...centreRows(text),
    ...centreRows(url),
  ];
}
