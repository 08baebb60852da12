import type { Biller } from '../billpay/index.ts';
import { decimal, ZERO } from '../kernel/decimal.ts';

export type DemoBiller = 'invoiced' | 'target' | 'feed' | 'plain';

const BASE: Omit<Biller, 'code' | 'name' | 'description'> = {
  isEnabled: true,
  currencies: ['USD', 'ZWG'],
  fees: [],
  memberNumberRegex: undefined,
  products: [],
  mustInvoice: false,
  invoiceLine: undefined,
  allowsFeed: false,
  target: undefined,
  connector: 'Offline',
};

function product(code: string, name: string, usd: string, zwg: string): Biller['products'][number] {
  return {
    code,
    name,
    description: undefined,
    isEnabled: true,
    prices: [
      { currency: 'USD', price: decimal(usd) },
      { currency: 'ZWG', price: decimal(zwg) },
    ],
  };
}

/** One biller for each thing that a biller can do. Any member number is taken, so that anybody's first try works. */
export function demoBillers(targetSince: Date): Readonly<Record<DemoBiller, Biller>> {
  return {
    invoiced: {
      ...BASE,
      code: 'CITYPOWER',
      name: 'City Power',
      description: 'Prepaid electricity. Every payment gets a fiscal invoice of the vendor by itself.',
      fees: [
        { currency: 'USD', fixed: decimal('0.50'), percent: decimal('1') },
        { currency: 'ZWG', fixed: decimal('13.00'), percent: decimal('1') },
      ],
      products: [
        product('TOKEN-10', 'Electricity token, 10 units', '2.50', '66.00'),
        product('TOKEN-50', 'Electricity token, 50 units', '12.00', '316.00'),
      ],
      mustInvoice: true,
      invoiceLine: { hsCode: '27160000', taxPercent: decimal('15.5'), isInclusive: true },
    },
    target: {
      ...BASE,
      code: 'CHIEDZA-ROOF',
      name: 'A roof for Chiedza Primary',
      description: 'A collection with a target: 12,000 in 600 roof sheets.',
      products: [product('SHEET', 'Roof sheet, 3.6 m', '18.00', '475.00')],
      target: { amount: decimal('12000'), units: 600, since: targetSince },
    },
    feed: {
      ...BASE,
      code: 'RIVER-RUN',
      name: 'River Run for clean water',
      description: 'Sponsors of a run, shown to everybody in the feed as they pay.',
      allowsFeed: true,
    },
    plain: {
      ...BASE,
      code: 'AQUA',
      name: 'Aqua Water',
      description: 'Water accounts. Member numbers that begin with AF, AT, PF, PFF, PP or PT make trouble on demand.',
      fees: [{ currency: 'USD', fixed: decimal('0.25'), percent: ZERO }],
      connector: 'Test',
    },
  };
}
