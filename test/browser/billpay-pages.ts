import type { Demo } from '../../src/demo/demo.ts';
import { callApi } from './console.ts';

interface Shown {
  readonly name: string;
  readonly path: string;
  readonly shows: string;
}

/** The pages of bill payments whose address only this service knows: a payment with its invoice, a vendor, its webhooks. */
export async function billpayPages(demo: Demo): Promise<Shown[]> {
  const read = <Answer>(path: string) =>
    callApi<Answer>(demo, `/api/admin/${path}`, { method: 'GET', token: demo.operator.token ?? '' });
  const { Payments } = await read<{ Payments: { Payment: { BillPayReference: string; VendorReference: string } }[] }>(
    'payments?BillerCode=CITYPOWER&Limit=1',
  );
  const { Vendors } = await read<{ Vendors: { VendorId: string; Code: string }[] }>('vendors');
  const payment = Payments[0]?.Payment.BillPayReference ?? '';
  const vendor = Vendors.find(({ Code }) => Code === demo.vendor.code)?.VendorId ?? '';
  return [
    { name: 'payment', path: `/payments/${payment}`, shows: 'Verify at the authority' },
    { name: 'vendor', path: `/vendors/${vendor}`, shows: 'Callback secret' },
    { name: 'callback', path: `/vendors/${vendor}?tab=Callback`, shows: 'RIVER-RUN' },
  ];
}
