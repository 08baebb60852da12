import { assignCreditNote, assignInvoices } from '../../../src/billpay/invoices/job-store.ts';
import { findInvoice, findInvoiceBody, listInvoices } from '../../../src/billpay/invoices/store.ts';
import { InvoiceWorker } from '../../../src/billpay/invoicing/invoice-worker.ts';
import type { BillerConfiguration } from '../../../src/contract/billpay/biller.ts';
import { decimal } from '../../../src/kernel/decimal.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { createLogger } from '../../../src/platform/logging/logger.ts';
import { type CuttingProxy, startCuttingProxy } from '../cutting-proxy.ts';
import { until } from '../process.ts';
import { createTestService, NOON, type TestService, type TestTaxpayer } from '../service.ts';
import { createTestBillpay, type TestBillpay, type TestVendor } from './billpay.ts';

/** What an invoice of the test billers needs. */
export const INVOICED: Partial<BillerConfiguration> = {
  Name: 'City of Harare',
  VendorMustInvoicePayments: true,
  InvoiceHsCode: '99001000',
  InvoiceTaxPercent: decimal('15.5'),
  InvoiceTaxInclusive: true,
};

export interface PaidPayment {
  readonly vendorId: string;
  readonly paymentId: bigint;
  readonly reference: string;
}

/** The two services on databases of their own, and nothing between them but HTTP over a proxy that can break. */
export interface Invoicing {
  readonly fiscal: TestService;
  readonly billpay: TestBillpay;
  readonly proxy: CuttingProxy;
  readonly taxpayer: TestTaxpayer;
  readonly vendor: TestVendor;
  readonly deviceId: number;
  /** One time for both. */
  moveTo(now: Date): void;
  /** A payment that is Paid, written as the payments' own transaction writes it. */
  pay(billerCode: string, options?: PayOptions): Promise<PaidPayment>;
  reverse(payment: PaidPayment): Promise<void>;
  invoice(reference: string): ReturnType<typeof invoiceNow>;
  /** Waits until the invoice is in the state, or has this kind of trouble. */
  untilInvoice(
    reference: string,
    holds: (invoice: Awaited<ReturnType<typeof invoiceNow>>) => boolean,
  ): ReturnType<typeof invoiceNow>;
  /** What the signing service holds, oldest first. */
  sealedReceipts(): Promise<readonly { reference: string; total: string; type: string }[]>;
  close(): Promise<void>;
}

export interface PayOptions {
  readonly vendor?: TestVendor;
  readonly amount?: string;
  readonly fee?: string;
  readonly products?: string;
}

let number = 0;

async function invoiceNow({ pool }: TestBillpay, reference: string) {
  const found = await findInvoice(pool, reference);
  if (found === undefined) throw new Error(`there is no invoice ${reference}`);
  return {
    state: found.State,
    attempts: found.Attempts,
    lastStatus: found.LastStatus,
    error: found.Error,
    errors: JSON.stringify(found.Errors),
    nextAttemptAt: found.NextAttemptAt === null ? null : new Date(found.NextAttemptAt),
    isWaitingForInvoice: found.WaitsForInvoice,
    signature: found.VendorFiscalSignature,
    body: await findInvoiceBody(pool, reference),
  };
}

export async function createInvoicing(): Promise<Invoicing> {
  const fiscal = await createTestService();
  const proxy = await startCuttingProxy(await fiscal.app.listen({ host: '127.0.0.1', port: 0 }));
  const billpay = await createTestBillpay();
  const taxpayer = await fiscal.addTaxpayer();
  const deviceId = await fiscal.addDevice(taxpayer.taxpayerId);
  const vendor = await billpay.addVendor({ fiscalToken: taxpayer.token, fiscalDeviceId: deviceId });
  const invoice = (reference: string) => invoiceNow(billpay, reference);
  const moveTo = (now: Date) => {
    fiscal.now = now;
    billpay.now = now;
  };
  moveTo(NOON);
  const { pool, masterKeys } = billpay;
  // One of its own that looks more often than the service's: tests wait for it all the time.
  const worker = new InvoiceWorker({
    pool,
    masterKeys,
    taxRounding: 'half-even',
    clock: () => billpay.now,
    log: createLogger('silent'),
    fiscalUrl: proxy.url,
    pollMs: 20,
  });
  worker.start();
  return {
    fiscal,
    billpay,
    proxy,
    taxpayer,
    vendor,
    deviceId,
    moveTo,
    pay: async (billerCode, pay = {}) => {
      number += 1;
      const { vendorId } = pay.vendor ?? vendor;
      // Of one biller no two payments share a moment.
      const paidAt = new Date(billpay.now.getTime() - 100_000 + number);
      return inTransaction(billpay.pool, async (tx) => {
        const { rows } = await tx.query<{ paymentId: bigint }>(
          `insert into payments (vendor_id, vendor_reference, bill_pay_reference, biller_code, member_number, currency, amount,
                                 fee, units, products, meta_data, payment_type, status, created_at, paid_at)
           values ($1, $2, $3, $4, 'M-1', 'USD', $5, $6, 0, $7, '[]', 'MobileWallet', 'Paid', $8, $8)
           returning payment_id as "paymentId"`,
          [
            vendorId,
            `V-${number}`,
            `BPR-${number}`,
            billerCode,
            pay.amount ?? '115.50',
            pay.fee ?? '0',
            pay.products ?? '[]',
            paidAt,
          ],
        );
        const paymentId = rows[0]?.paymentId ?? 0n;
        await assignInvoices(tx, [{ vendorId, paymentId, paidAt }]);
        const [newest] = await listInvoices(tx, NEWEST, 1);
        return { vendorId, paymentId, reference: newest?.Reference ?? '' };
      });
    },
    reverse: async ({ vendorId, paymentId }) => {
      await inTransaction(billpay.pool, async (tx) => {
        await tx.query(
          `update payments set status = 'Reversed', reversed_at = $3 where vendor_id = $1 and payment_id = $2`,
          [vendorId, paymentId, billpay.now],
        );
        await assignCreditNote(tx, { vendorId, paymentId, reversedAt: billpay.now });
      });
    },
    invoice,
    untilInvoice: async (reference, holds) => {
      let found = await invoice(reference);
      await until(async () => {
        found = await invoice(reference);
        return holds(found);
      }, `invoice ${reference} changes`).catch((error: unknown) => {
        throw new Error(`${found.state} ${found.lastStatus} ${found.error}`, { cause: error });
      });
      return found;
    },
    sealedReceipts: async () => {
      const { rows } = await fiscal.pool.query<{ reference: string; body: string }>(
        'select reference, body from receipts order by global_counter',
      );
      return rows.map(({ reference, body }) => {
        const { TotalAmount, Type } = JSON.parse(body) as { TotalAmount: number; Type: string };
        return { reference, total: String(TotalAmount), type: Type };
      });
    },
    close: async () => {
      await worker.stop();
      await billpay.close();
      await proxy.close();
      await fiscal.close();
    },
  };
}

const NEWEST = { state: undefined, kind: 'Invoice', vendorId: undefined, before: undefined } as const;
