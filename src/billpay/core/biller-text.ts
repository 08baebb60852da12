import { formatDecimal } from '../../kernel/decimal.ts';
import type { Biller, Fee, Product } from './biller.ts';

/**
 * A biller as JSON text, exactly as ListBillers shows it: stored once per change and answered as it stands. Written by hand
 * because no JSON writer keeps numbers of more than 15 digits exact. Two billers that show the same have the same text.
 */
export function billerText(biller: Biller): string {
  const { invoiceLine, target } = biller;
  return `{${[
    `"Code":${JSON.stringify(biller.code)}`,
    `"Name":${JSON.stringify(biller.name)}`,
    `"Description":${orNull(biller.description)}`,
    `"Enabled":${biller.isEnabled}`,
    `"Currencies":${JSON.stringify(biller.currencies)}`,
    `"Fees":[${biller.fees.map(feeText).join(',')}]`,
    `"MemberNumberRegex":${orNull(biller.memberNumberRegex)}`,
    `"Products":[${biller.products.map(productText).join(',')}]`,
    `"VendorMustInvoicePayments":${biller.mustInvoice}`,
    `"InvoiceHsCode":${orNull(invoiceLine?.hsCode)}`,
    `"InvoiceTaxPercent":${invoiceLine?.taxPercent === undefined ? 'null' : formatDecimal(invoiceLine.taxPercent)}`,
    `"InvoiceTaxInclusive":${invoiceLine?.isInclusive ?? 'null'}`,
    `"AllowFeed":${biller.allowsFeed}`,
    `"TargetAmount":${target === undefined ? 'null' : formatDecimal(target.amount)}`,
    `"TargetUnits":${target?.units ?? 'null'}`,
    `"TargetAchievedSinceDate":${orNull(target?.since?.toISOString())}`,
  ].join(',')}}`;
}

function feeText(fee: Fee): string {
  return `{"Currency":"${fee.currency}","Fixed":${formatDecimal(fee.fixed)},"Percent":${formatDecimal(fee.percent)}}`;
}

function productText(product: Product): string {
  const prices = product.prices.map((one) => `{"Currency":"${one.currency}","Price":${formatDecimal(one.price)}}`);
  return (
    `{"Code":${JSON.stringify(product.code)},"Name":${JSON.stringify(product.name)},` +
    `"Description":${orNull(product.description)},"Enabled":${product.isEnabled},"Prices":[${prices.join(',')}]}`
  );
}

function orNull(text: string | undefined): string {
  return text === undefined ? 'null' : JSON.stringify(text);
}
