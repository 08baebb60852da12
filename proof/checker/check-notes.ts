/** How much notes credited: here when all is settled, and at the authority after each receipt that it accepted. */
import { cents } from './check-chains.ts';
import type { Evidence } from './evidence.ts';
import { groupBy, type Verdict } from './verdict.ts';

export function checkNotes(evidence: Evidence): Verdict[] {
  return [checkHere(evidence), checkThere(evidence)];
}

/** Credit notes never exceed the invoice and its debit notes; all of them have reached the authority by now. */
function checkHere({ receipts }: Evidence): Verdict {
  const invoices = new Map(receipts.map((row) => [`${row.deviceId}/${row.globalCounter}`, row]));
  const notes = groupBy(
    receipts.filter(({ original }) => original !== null),
    ({ original }) => String(original),
  );
  const problems: string[] = [];
  let [exhausted, many] = [0, 0];
  for (const [place, ofOne] of notes) {
    const invoice = invoices.get(place);
    const left = ofOne.reduce((sum, { total }) => sum + cents(total), cents(invoice?.total ?? '0'));
    if (invoice === undefined) problems.push(`note: ${ofOne[0]?.reference} names ${place}, which is not there`);
    else if (left < 0n) problems.push(`over-credited: ${invoice.reference} (${place}) by ${-left} cents`);
    if (left === 0n) exhausted += 1;
    if (new Set(ofOne.map(({ deviceId }) => deviceId)).size > 1) many += 1;
  }
  return {
    name: 'no invoice is credited beyond itself and its debit notes',
    figures: `${notes.size} invoices with notes, ${many} of them from several devices, ${exhausted} credited to the last cent`,
    problems,
  };
}

/** The same at the authority, after every single receipt, in the order in which it accepted them. */
function checkThere({ booked }: Evidence): Verdict {
  const left = new Map<number, bigint>();
  const problems: string[] = [];
  let notes = 0;
  for (const one of booked.toSorted((a, b) => a.receiptId - b.receiptId)) {
    if (one.type === 'FiscalInvoice') left.set(one.receiptId, cents(one.total));
    else {
      notes += 1;
      const before = one.originalId === null ? undefined : left.get(one.originalId);
      const after = (before ?? 0n) + cents(one.total);
      if (before === undefined) problems.push(`note: the authority took ${one.reference} before its invoice`);
      else if (after < 0n)
        problems.push(`over-credited at the authority: ${one.reference} took ${-after} cents too much`);
      if (one.originalId !== null) left.set(one.originalId, after);
    }
  }
  return {
    name: 'the authority never had a credit note before what allows it',
    figures: `${notes} notes, in the order in which it took them`,
    problems,
  };
}
