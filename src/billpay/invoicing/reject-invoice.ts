import type { Pool } from 'pg';
import { raise } from '../../platform/alerts/store.ts';
import { inTransaction } from '../../platform/database/database.ts';
import type { Trouble } from '../core/signing-answer.ts';
import { type ClaimedInvoice, markRejected } from '../invoices/job-store.ts';

/** It would be refused repeatedly: a person has to change something first, and an alert says what. */
export async function rejectInvoice(
  pool: Pool,
  claimed: ClaimedInvoice,
  reference: string,
  kind: 'InvoiceRejected' | 'InvoiceConflict',
  trouble: Trouble,
): Promise<void> {
  const { vendorId } = claimed;
  await inTransaction(pool, async (tx) => {
    if (!(await markRejected(tx, claimed, trouble))) return;
    const found = trouble.errors.map(({ Field, Code, Message }) => ` ${Field} ${Code}: ${Message}.`).join('');
    const message = `Invoice ${reference} cannot be sealed. ${trouble.error}${found}`;
    await raise(tx, { kind, vendorId, what: reference, message });
  });
}
