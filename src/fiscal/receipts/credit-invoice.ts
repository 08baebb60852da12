import type { FastifyInstance } from 'fastify';
import * as contract from '../../contract/fiscal/managed-receipt.ts';
import { type ReceiptDate, readReceiptDate } from '../../fdms/index.ts';
import { formatFixed } from '../../kernel/decimal.ts';
import { ExactText } from '../../kernel/exact-json.ts';
import { type Refusal, Refused, refused } from '../../kernel/refusal.ts';
import type { TaxRounding } from '../../kernel/tax.ts';
import { confirmedOne } from '../../platform/database/barrier.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { route } from '../../platform/http/route.ts';
import type { CompletedReceipt } from '../core/complete-receipt.ts';
import { invalidReceipt } from '../core/seal.ts';
import { restoreSubmitted } from '../core/submitted-differences.ts';
import { readStoredReceipt } from '../sealed/read-stored-receipt.ts';
import { signedReceiptText } from '../sealed/sealed-receipt.ts';
import { findNumbered, findReceipt } from '../sealed/store.ts';
import type { Sending } from '../submission/sending.ts';
import { findSelling } from '../taxpayers/identity-store.ts';
import { creditNoteOf } from './compose-credit-note.ts';
import type { Sign } from './sign-receipt.ts';

interface CreditContext extends Administration {
  readonly sign: Sign;
  readonly sending: Sending;
  readonly taxRounding: TaxRounding;
}

const LONGEST_CASHIER = 20;

/** A credit note by a person, through the door of every receipt. */
export function creditRoutes(app: FastifyInstance, context: CreditContext): void {
  const { pool, guard, audited, clock, sign, sending, taxRounding } = context;

  route(app, guard, contract.creditInvoice, async ({ request, reply, params, body }) => {
    const found = await findNumbered(pool, params.authorityDeviceId, params.globalCounter);
    if (found === undefined)
      return refused({ code: 'NotFound', detail: 'This device has no receipt with this number.' });
    const { taxpayerId, sealed } = found;
    const selling = await findSelling(pool, taxpayerId, context.nameOf(request).slice(0, LONGEST_CASHIER));
    if (selling === undefined) return refused({ code: 'Forbidden', detail: 'This taxpayer is suspended.' });
    const invoice = readStoredReceipt(sealed.body);
    const dated = (date: ReceiptDate) => creditNoteOf(invoice, body, date, taxRounding);
    const note = dated(readReceiptDate(clock().toISOString()));
    const violations = [...checkInvoice(invoice), ...note.violations];
    if (violations.length > 0) return refused(invalidReceipt(violations));
    const noted = await audited(request, async () => ({
      action: 'receipt.credit-requested',
      taxpayerId,
      subject: `receipt ${invoice.Reference}`,
      after: body,
      answer: undefined,
    }));
    if (noted instanceof Refused) return noted;
    // Its date is nobody's choice: it fits wherever the device is.
    let outcome = await sign(selling, note.receipt, true);
    if (outcome.kind === 'refused' && outcome.refusal.code === 'ReferenceConflict') {
      const before = await findReceipt(confirmedOne(pool), taxpayerId, body.Reference);
      // Asked again, later: but for the moment it is the same.
      const submitted = before && restoreSubmitted(readStoredReceipt(before.sealed.body), before.differences);
      if (submitted !== undefined) outcome = await sign(selling, dated(submitted.Date).receipt, true);
    }
    if (outcome.kind === 'refused') return refused(asAsked(outcome.refusal, note));
    if (outcome.kind === 'replayed') reply.header('idempotent-replay', 'true');
    return new ExactText(signedReceiptText(outcome.sealed, sending.sends));
  });
}

function checkInvoice({ Type, Reference }: CompletedReceipt['receipt']) {
  if (Type === 'FiscalInvoice') return [];
  const Message = `${Reference} is a ${Type}: choose the invoice`;
  return [{ Field: 'globalCounter', Code: 'RCPT032', Message }];
}

/** Sums are not what was asked for, but lines. */
function asAsked({ errors, ...refusal }: Refusal, { receipt }: CompletedReceipt): Refusal {
  const Words = `these lines come to ${formatFixed(receipt.TotalAmount, 2)}: credit fewer of them, or smaller quantities`;
  return {
    ...refusal,
    ...(errors && {
      errors: errors.map((error) =>
        error.Field === 'TotalAmount'
          ? { ...error, Field: 'ReceiptLines', Message: `${error.Message}; ${Words}` }
          : error,
      ),
    }),
  };
}
