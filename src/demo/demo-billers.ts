import type { BillerConfiguration } from '../contract/billpay/biller.ts';
import { PLAIN_BILLER } from '../contract/billpay/plain-biller.ts';
import { decimal } from '../kernel/decimal.ts';

export type DemoBiller = 'invoiced' | 'target' | 'feed' | 'plain';

function product(Code: string, Name: string, usd: string, zwg: string) {
  const Prices = [
    { Currency: 'USD', Price: decimal(usd) },
    { Currency: 'ZWG', Price: decimal(zwg) },
  ];
  return { Code, Name, Enabled: true, Prices };
}

/** One biller for each thing that a biller can do. Any member number is accepted, so that a first try always works. */
export function demoBillers(targetSince: Date): Readonly<Record<DemoBiller, BillerConfiguration>> {
  return {
    invoiced: {
      ...PLAIN_BILLER,
      Code: 'CITYPOWER',
      Name: 'City Power',
      Description: 'Prepaid electricity. Every payment gets a fiscal invoice from the vendor automatically.',
      Fees: [
        { Currency: 'USD', Fixed: decimal('0.50'), Percent: decimal('1') },
        { Currency: 'ZWG', Fixed: decimal('13.00'), Percent: decimal('1') },
      ],
      Products: [
        product('TOKEN-10', 'Electricity token, 10 units', '2.50', '66.00'),
        product('TOKEN-50', 'Electricity token, 50 units', '12.00', '316.00'),
      ],
      VendorMustInvoicePayments: true,
      InvoiceHsCode: '27160000',
      InvoiceTaxPercent: decimal('15.5'),
      InvoiceTaxInclusive: true,
    },
    target: {
      ...PLAIN_BILLER,
      Code: 'CHIEDZA-ROOF',
      Name: 'A roof for Chiedza Primary',
      Description: 'A collection with a target: 12,000 in 600 roof sheets.',
      Products: [product('SHEET', 'Roof sheet, 3.6 m', '18.00', '475.00')],
      TargetAmount: decimal('12000'),
      TargetUnits: decimal('600'),
      TargetAchievedSinceDate: targetSince.toISOString(),
    },
    feed: {
      ...PLAIN_BILLER,
      Code: 'RIVER-RUN',
      Name: 'River Run for clean water',
      Description: 'Sponsors of a run, shown publicly in the feed as they pay.',
      AllowFeed: true,
    },
    plain: {
      ...PLAIN_BILLER,
      Code: 'AQUA',
      Name: 'Aqua Water',
      Description: 'Water accounts. Member numbers that begin with AF, AT, PF, PFF, PP or PT fail on demand.',
      Fees: [{ Currency: 'USD', Fixed: decimal('0.25') }],
      Connector: 'Test',
    },
  };
}
