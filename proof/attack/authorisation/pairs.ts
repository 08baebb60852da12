import { creditNote, invoice } from '../../../test/support/receipts/receipts.ts';
import { type AttackedService, plain } from '../attacked-service.ts';
import type { Attempt } from '../request/attempt.ts';
import type { There } from './everything.ts';

/** The same request twice: for what is another's, and for what is nobody's. */
export type Pair = readonly [name: string, another: () => Attempt, nobodys: () => Attempt];

export const NOWHERE = 2_000_000_000;
export const UNKNOWN = 'Unknown';

/** What the others, who have what is `elsewhere`, ask for: once it is `own`'s, and once it is not there. */
export function pairsOf({ own, others }: AttackedService, there: There, elsewhere: There): readonly Pair[] {
  const hers = Number(elsewhere['authorityDeviceId']);
  const theirs = Number(there['authorityDeviceId']);
  const payment = there['billPayReference'] ?? '';
  const [known, known2] = [there['reference'] ?? '', `${there['reference']}-2`];
  let count = 0;
  const fresh = () => {
    count += 1;
    return `MINE-${count}`;
  };
  const pair =
    (token: string) =>
    (name: string, path: (value: string) => string, another: string | number, nobodys: string | number): Pair => [
      name,
      () => plain(path(String(another)), token),
      () => plain(path(String(nobodys)), token),
    ];
  const [till, app] = [pair(others.till), pair(others.app)];
  const sign = (receipt: object) => plain('/api/receipt/sign', others.till, receipt);
  const reverse = (name: object) => plain('/api/payment/reverse', others.app, name);
  const withTaxpayer = (token: string) =>
    plain('/api/receipt', Buffer.from(`${token}:${others.taxpayerId}`).toString('base64'));
  /** Of the same form, and nobody has it. */
  const unpaid = `${payment.slice(0, -4)}ZZZZ`;
  return [
    till('a receipt', (reference) => `/api/receipt/${reference}`, known, UNKNOWN),
    till('a printed receipt', (reference) => `/api/receipt/${reference}/print`, known, UNKNOWN),
    till('a receipt in the list', (reference) => `/api/receipt?Reference=${reference}`, known, UNKNOWN),
    till('a device in the list', (device) => `/api/receipt?AuthorityDeviceId=${device}`, theirs, NOWHERE),
    till('a device', (device) => `/api/device/${device}`, theirs, NOWHERE),
    till('a fiscal day', (device) => `/api/device/${device}/day/1/report`, theirs, NOWHERE),
    till('an event', (query) => `/api/events?after=0${query}`, '', '&limit=7'),
    ['a device to sign on', () => sign(invoice(theirs, fresh())), () => sign(invoice(NOWHERE, fresh()))],
    [
      'an invoice to credit',
      () => sign(creditNote(hers, fresh(), known2)),
      () => sign(creditNote(hers, fresh(), UNKNOWN)),
    ],
    ['a token with the wrong taxpayer', () => withTaxpayer(own.till), () => withTaxpayer(`tsk_${'A'.repeat(43)}`)],
    app(
      'the status of a payment, by the name of its vendor',
      (name) => `/api/payment/status?vendorReference=${name}`,
      known,
      UNKNOWN,
    ),
    app(
      'the status of a payment, by our name',
      (name) => `/api/payment/status?billPayReference=${name}`,
      payment,
      unpaid,
    ),
    [
      'a payment to reverse, by the name of its vendor',
      () => reverse({ VendorReference: known }),
      () => reverse({ VendorReference: UNKNOWN }),
    ],
    [
      'a payment to reverse, by our name',
      () => reverse({ BillPayReference: payment }),
      () => reverse({ BillPayReference: unpaid }),
    ],
  ];
}
