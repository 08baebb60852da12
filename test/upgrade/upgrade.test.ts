import { afterEach, expect, test } from 'vitest';
import { Machine, until } from '../support/process.ts';
import { nowInvoice, post } from '../support/receipts/load.ts';
import { creditNote } from '../support/receipts/receipts.ts';
import { KEPT_VERSIONS, KeptInstallation, STOPPED, WHOLE } from './kept-installation.ts';

let machine: Machine;

afterEach(() => machine.end());

test.each(KEPT_VERSIONS)(
  'an installation of version %s is upgraded with every row and goes on: devices, notes, payments, and the receipt that was refused',
  async (version) => {
    machine = new Machine();
    const kept = await KeptInstallation.start(version, machine);
    const { till, tables } = kept;
    // Every later table must be filled in an installation of its own version.
    expect(Object.keys(tables).filter((name) => tables[name] === 0)).toEqual([]);
    expect(await kept.lessThanKept()).toEqual([]);
    await kept.openDays();

    const today = { Date: new Date().toISOString() };
    expect((await post(till, creditNote(STOPPED, 'CN-NOW', `NOW-${WHOLE}`, today))).status).toBe(200);
    const over = await post(till, creditNote(WHOLE, 'CN-OVER', 'INV-4', today));
    expect(await over.text()).toContain('RCPT035');
    expect((await post(till, nowInvoice(2001, 'NOT-OURS'))).ok).toBe(false);

    const statusOf = (reference: string) => kept.pay<PaymentStatus>('GET', `status?vendorReference=${reference}`);
    await kept.pay('POST', 'pay', {
      VendorReference: 'PAY-NOW',
      BillerCode: 'CITYWATER',
      MemberNumber: '10000003',
      Currency: 'USD',
      Amount: 12.5,
      PaymentType: 'Cash',
    });
    await until(async () => (await statusOf('PAY-NOW')).VendorFiscalMetadata !== null, 'the new payment is invoiced');
    expect((await statusOf('PAY-1')).VendorFiscalMetadata).toMatchObject({ DeviceId: WHOLE, FiscalDayNumber: 1 });
    expect(await statusOf('PAY-2')).toMatchObject({ Status: 'Reversed' });
    expect(await kept.pay('GET', 'TargetStats?billercode=CITYWATER&currency=USD')).toMatchObject({
      TargetAchievedAmount: 37.5,
      PayerCount: 2,
    });

    await kept.isWhole();
    // Whoever blocked a device has not changed their mind; a hold that the authority's word ends is over.
    await until(async () => (await blockedDevices(kept)).join() === '2002,2003', 'only these are blocked');
  },
);

interface PaymentStatus {
  readonly VendorFiscalMetadata: object | null;
}

async function blockedDevices(kept: KeptInstallation): Promise<number[]> {
  const { Devices } = await kept.operate<{ Devices: { AuthorityDeviceId: number; State: string }[] }>(
    'GET',
    '/devices?Limit=100',
  );
  const blocked = Devices.filter(({ State }) => State === 'Blocked');
  return blocked.map(({ AuthorityDeviceId }) => AuthorityDeviceId).toSorted((one, other) => one - other);
}
