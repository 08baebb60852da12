import type { Registry } from 'prom-client';
import { figures } from '../../platform/metrics.ts';

export interface InvoiceBacklog {
  readonly waiting: number;
  readonly oldestSeconds: number;
  readonly rejected: number;
}

/** The automatic invoices of payments, as an operator watches them. Names and meaning: docs/operations/metrics.md. */
export function watchInvoices(registry: Registry, read: () => Promise<InvoiceBacklog>): void {
  figures(registry, read, [
    ['tillseal_invoices_waiting', 'Automatic invoices not sealed yet.', ({ waiting }) => waiting],
    ['tillseal_invoices_oldest_seconds', 'Age of the oldest of them.', ({ oldestSeconds }) => oldestSeconds],
    ['tillseal_invoices_rejected', 'Automatic invoices that wait for a fix.', ({ rejected }) => rejected],
  ]);
}
