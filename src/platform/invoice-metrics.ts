import { Gauge, type Registry } from 'prom-client';

/** The automatic invoices of payments, as an operator watches them. Names and meaning: docs/operations/metrics.md. */
export interface InvoiceMetrics {
  readonly watch: (read: () => Promise<InvoiceBacklog>) => void;
}

export interface InvoiceBacklog {
  readonly waiting: number;
  readonly oldestSeconds: number;
  readonly rejected: number;
}

const READ_PATIENCE_MS = 2000;
const UNKNOWN: InvoiceBacklog = { waiting: Number.NaN, oldestSeconds: Number.NaN, rejected: Number.NaN };

export function createInvoiceMetrics(registry: Registry): InvoiceMetrics {
  const registers = [registry];
  return {
    watch: (read) => {
      let asking: Promise<InvoiceBacklog> | undefined;
      // All three wait for one answer, and whoever asks meanwhile gets that one too.
      const once = () => {
        asking ??= inTime(read()).finally(() => {
          asking = undefined;
        });
        return asking;
      };
      const figure = (name: string, help: string, value: (found: InvoiceBacklog) => number) =>
        new Gauge({
          name,
          help,
          registers,
          async collect() {
            this.set(value(await once()));
          },
        });
      figure('tillseal_invoices_waiting', 'Automatic invoices not sealed yet.', ({ waiting }) => waiting);
      figure('tillseal_invoices_oldest_seconds', 'Age of the oldest of them.', ({ oldestSeconds }) => oldestSeconds);
      figure('tillseal_invoices_rejected', 'Automatic invoices that wait for a fix.', ({ rejected }) => rejected);
    },
  };
}

/** A database that is away or busy must not take the other figures with it: then these are not a number. */
function inTime(asked: Promise<InvoiceBacklog>): Promise<InvoiceBacklog> {
  const late = new Promise<InvoiceBacklog>((resolve) => setTimeout(resolve, READ_PATIENCE_MS, UNKNOWN).unref());
  return Promise.race([asked.catch(() => UNKNOWN), late]);
}
