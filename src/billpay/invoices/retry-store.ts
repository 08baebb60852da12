import type { Transaction } from '../../platform/database.ts';

/**
 * A rejected one is built anew, from what is configured now. One that waits keeps its body, whose fate may not be known, and
 * goes at once; a credit note that waits for its invoice goes on waiting.
 */
const RETRY = `
  state = 'Waiting',
  body = case when i.state = 'Rejected' then null else i.body end,
  is_date_spent = i.is_date_spent and i.state <> 'Rejected',
  next_attempt_at = case when i.next_attempt_at = 'infinity' then i.next_attempt_at else $1 end`;

/** False: there is no such invoice, or it is sealed. */
export async function retryOne(tx: Transaction, reference: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update payment_invoices i set ${RETRY} where i.invoice_reference = $2 and i.state <> 'Sealed'`,
    [now, reference],
  );
  return rowCount === 1;
}

/**
 * All of a vendor or of a biller that somebody had to do something about: rejected, or refused because of the token. Locked in
 * one order, invoices before their credit notes, as everywhere.
 */
export async function retryAll(
  tx: Transaction,
  owner: { readonly vendorId?: string; readonly billerCode?: string },
  now: Date,
): Promise<number> {
  const { rowCount } = await tx.query(
    `with stuck as (
       select i.vendor_id, i.payment_id, i.kind from payment_invoices i
        where i.state <> 'Sealed' and (i.state = 'Rejected' or (i.state = 'Waiting' and i.last_status in (401, 403)))
          and ($2::uuid is null or i.vendor_id = $2)
          and ($3::text is null or exists (
            select from payments p where p.vendor_id = i.vendor_id and p.payment_id = i.payment_id and p.biller_code = $3))
        order by i.vendor_id, i.payment_id, i.kind desc for update of i)
     update payment_invoices i set ${RETRY} from stuck s
      where i.vendor_id = s.vendor_id and i.payment_id = s.payment_id and i.kind = s.kind`,
    [now, owner.vendorId ?? null, owner.billerCode ?? null],
  );
  return rowCount ?? 0;
}
