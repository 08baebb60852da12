import type { PaymentRequest } from '../billpay/index.ts';
import { decimal, fromCents } from '../kernel/decimal.ts';
import type { DemoBiller } from './demo-billers.ts';

/** A payment of the past that shows something; `isReversed` is taken back a little later. */
export interface PastPayment {
  readonly at: Date;
  readonly isReversed: boolean;
  readonly request: PaymentRequest;
}

const DAYS = 28;
const DAY_MS = 86_400_000;
const PEOPLE = [
  'Tendai Moyo',
  'Rudo Ncube',
  'Farai Dube',
  'Chipo Sibanda',
  'Tatenda Mpofu',
  'Nyasha Chikore',
  'Simba Marufu',
  'Ruvimbo Gumbo',
  'Kudzai Banda',
  'Tariro Zhou',
  'Munashe Phiri',
  'Vimbai Nyoni',
  'Tinashe Sithole',
  'Rumbidzai Chirwa',
  'Blessing Hove',
  'Anesu Matsika',
] as const;
const WISHES = [
  'Run, team!',
  'For my grandmother’s village',
  'From the whole office',
  'See you at the finish',
  'Makorokoto!',
];
const TYPES = ['MobileWallet', 'MobileWallet', 'Cash', 'Card', 'BankTransfer'] as const;

/** The same every time: a demo that can be talked about. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** `count` payments over the last four weeks, in order, the last some minutes ago. */
export function pastPayments(
  kind: Exclude<DemoBiller, 'invoiced'>,
  billerCode: string,
  now: Date,
  count: number,
): PastPayment[] {
  const random = randomFrom(billerCode.length * 7919 + count);
  const moments = Array.from({ length: count }, () => momentBefore(now, random)).toSorted((a, b) => a - b);
  return moments.map((moment, index) => {
    const person = random(PEOPLE.length);
    // Two currencies would make one sum of the target that means nothing.
    const isZig = kind !== 'target' && random(4) === 0;
    const isTrouble = kind === 'plain' && random(8) === 0;
    return {
      at: new Date(moment),
      isReversed: !isTrouble && random(40) === 0,
      request: {
        vendorReference: `DEMO-${billerCode}-${String(index + 1).padStart(4, '0')}`,
        billerCode,
        memberNumber: `${isTrouble ? 'PF' : ''}${10_200_000 + person * 7717 + random(4) * 31}`,
        memberName: PEOPLE[person],
        currency: isZig ? 'ZWG' : 'USD',
        paymentType: TYPES[random(TYPES.length)] ?? 'Cash',
        ...(kind === 'target' ? sheets(1 + random(4)) : money(kind, isZig, random)),
        metaData:
          kind === 'feed' && random(3) > 0 ? [{ Key: 'Message', Value: WISHES[random(WISHES.length)] ?? '' }] : [],
      },
    };
  });
}

/** People pay from seven in the morning to nine at night, in Harare. */
function momentBefore(now: Date, random: (below: number) => number): number {
  const day = now.getTime() - random(DAYS) * DAY_MS;
  const midnight = Math.floor(day / DAY_MS) * DAY_MS;
  const moment = midnight + (5 * 3600 + random(14 * 3600)) * 1000 + random(1000);
  // Today has not gone by yet.
  return moment < now.getTime() - 300_000 ? moment : moment - DAY_MS;
}

function sheets(quantity: number): Pick<PaymentRequest, 'amount' | 'products'> {
  return {
    amount: fromCents(1800n * BigInt(quantity)),
    products: [{ code: 'SHEET', quantity: decimal(String(quantity)), price: undefined }],
  };
}

function money(
  kind: string,
  isZig: boolean,
  random: (below: number) => number,
): Pick<PaymentRequest, 'amount' | 'products'> {
  const cents = kind === 'feed' ? (1 + random(20)) * 500 : 800 + random(4200);
  return { amount: fromCents(BigInt(cents) * (isZig ? 26n : 1n)), products: [] };
}

/** Payments of now that get their invoices while one looks on. */
export function freshPayments(billerCode: string): PaymentRequest[] {
  const base = { billerCode, currency: 'USD', paymentType: 'MobileWallet', metaData: [] } as const;
  const [tendai, rudo, farai] = PEOPLE;
  return [
    {
      ...base,
      vendorReference: 'DEMO-INVOICED-0001',
      memberNumber: '14250000017',
      memberName: tendai,
      amount: decimal('12.00'),
      products: [{ code: 'TOKEN-50', quantity: decimal('1'), price: undefined }],
    },
    {
      ...base,
      vendorReference: 'DEMO-INVOICED-0002',
      memberNumber: '14250000025',
      memberName: rudo,
      amount: decimal('5.00'),
      products: [{ code: 'TOKEN-10', quantity: decimal('2'), price: undefined }],
    },
    {
      ...base,
      vendorReference: 'DEMO-INVOICED-0003',
      memberNumber: '14250000033',
      memberName: farai,
      amount: decimal('20.00'),
      products: [],
    },
  ];
}
