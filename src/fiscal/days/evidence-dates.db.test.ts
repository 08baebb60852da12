import { expect, test } from 'vitest';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import { serviceOfFile } from '../../../test/support/service.ts';
import { openShop, takeLane } from '../../../test/support/shop.ts';
import { withLease } from '../lanes/lease-store.ts';
import { recordAcceptances } from '../submission/store.ts';
import { recordClosed } from './store.ts';

/** The authority signs whole seconds, cut off; a fraction it sends must not move the second that is kept as evidence. */
const service = await serviceOfFile();

test.each(['2026-11-15T12:00:00.9', '2026-11-15T12:00:00', '2026-11-15T12:00:00.999+02:00'])(
  '%s is kept as 12:00:00, on receipts and days',
  async (date) => {
    const shop = await openShop(service);
    const { taxpayerId, token, deviceId } = shop;
    await service.sign(token, invoice(deviceId, `FRACTION-${deviceId}`));
    const bytes = Buffer.from('x');
    await withLease(service, await takeLane(service, shop), async (tx) => {
      const acceptance = {
        authorityReceiptId: 1,
        serverDate: date,
        serverHash: bytes,
        serverSignature: bytes,
        thumbprint: 'AA',
        isSignatureValid: undefined,
        remarks: [],
      };
      await recordAcceptances(tx, [{ taxpayerId, deviceId, globalCounter: 1, acceptance }], service.now);
      await recordClosed(
        tx,
        { taxpayerId, deviceId, fiscalDayNumber: 1 },
        {
          closedAt: service.now,
          closedText: date,
          reconciliation: 'Manual',
          serverHash: undefined,
          serverSignature: undefined,
          thumbprint: undefined,
          adoptedCounters: { counted: [], others: [] },
        },
      );
    });
    const { rows } = await service.pool.query(
      `select s.server_date, d.closed_wall from submissions s join fiscal_days d using (taxpayer_id, device_id)
        where device_id = $1`,
      [deviceId],
    );
    expect(rows).toEqual([{ server_date: '2026-11-15 12:00:00', closed_wall: '2026-11-15 12:00:00' }]);
  },
);
