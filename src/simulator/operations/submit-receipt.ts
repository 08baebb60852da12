/** SubmitReceipt: specification §4.7. Whatever is well-formed is stored and signed, however red. */
import type { SubmitReceiptResponse } from '../../fdms/index.ts';
import { formatWall } from '../../kernel/zone.ts';
import { signAsAuthority } from '../certificates/identity.ts';
import type { SubmittedReceipt } from '../core/receipt.ts';
import { distinct } from '../core/remarks.ts';
import { checkReceipt } from '../core/rules/check-receipt.ts';
import { receiptServerString } from '../core/signed-string.ts';
import type { Authority } from '../state/authority.ts';
import type { Database } from '../store/database.ts';
import { type FiscalDay, lastDay } from '../store/days.ts';
import {
  addReceipt,
  isInvoiceNoTaken,
  nextReceiptId,
  notesOn,
  receiptById,
  receiptsByNumber,
  type StoredReceipt,
} from '../store/receipts.ts';
import { type Answer, accepted, malformed, refused } from '../wire/answer.ts';
import { readSubmitReceipt } from '../wire/read-requests.ts';
import type { CertifiedCall } from './call.ts';
import { checkChain, revalidateSuccessors } from './check-chain.ts';

export function submitReceipt(authority: Authority, call: CertifiedCall): Answer {
  const { db } = authority;
  const { deviceId } = call.device;
  const read = readSubmitReceipt(call.body);
  if ('faults' in read) return malformed(read.faults, 'RCPT02');
  const receipt = read.value;
  const day = lastDay(db, deviceId);
  if (day?.status !== 'FiscalDayOpened' && day?.status !== 'FiscalDayCloseFailed') return refused('RCPT01');

  // The same number with the same hash is the same receipt, also when it was accepted days ago.
  const known = receiptsByNumber(db, deviceId, receipt.globalNo).find(({ hash }) => hash === receipt.signature.hash);
  if (known) return present(authority, known);

  const stored = toStored(authority, call, day, receipt);
  addReceipt(db, stored);
  revalidateSuccessors(authority, stored);
  return present(authority, stored);
}

function toStored(authority: Authority, call: CertifiedCall, day: FiscalDay, receipt: SubmittedReceipt): StoredReceipt {
  const { db, clock, identity } = authority;
  const { device, taxpayer, certificate } = call;
  const original = findOriginal(db, taxpayer.tin, receipt);
  const now = clock.wall();
  const receiptId = nextReceiptId(db);
  const remarks = [
    ...checkReceipt(receipt, {
      ...authority.switches(),
      isVatPayer: taxpayer.vatNumber !== null,
      taxes: device.taxes,
      openedAt: day.openedAt,
      dayMaxHours: device.dayMaxHours,
      now,
      isInvoiceNoTaken: isInvoiceNoTaken(db, taxpayer.tin, receipt.invoiceNo),
      original: original && { ...original, noteTotals: notesOn(db, original.receiptId).map(({ total }) => total) },
    }),
    ...checkChain(authority, device.deviceId, day.dayNo, receipt, certificate.certificateId),
    ...call.forcedRemarks,
  ];
  const { type, currency, counter, globalNo, invoiceNo, date, taxes, payments, total } = receipt;
  const kept = { type, currency, counter, globalNo, invoiceNo, date, taxes, payments, total };
  const { hash, signature } = receipt.signature;
  return {
    ...kept,
    receiptId,
    deviceId: device.deviceId,
    tin: taxpayer.tin,
    dayNo: day.dayNo,
    hash,
    signature,
    certificateId: certificate.certificateId,
    originalId: receipt.type === 'FiscalInvoice' ? null : (original?.receiptId ?? null),
    remarks: distinct(remarks),
    serverDate: now,
    serverSignature: signAsAuthority(
      identity,
      receiptServerString(signature, receiptId, formatWall(now) + authority.switches().dateSuffix),
    ),
    request: call.body.toString('utf8'),
  };
}

function present(authority: Authority, receipt: StoredReceipt): Answer {
  return accepted({
    receiptID: receipt.receiptId,
    serverDate: formatWall(receipt.serverDate) + authority.switches().dateSuffix,
    receiptServerSignature: receipt.serverSignature,
    ...(receipt.remarks.length === 0
      ? {}
      : {
          validationErrors: receipt.remarks.map(({ code, colour, message }) => ({
            validationErrorCode: code,
            validationErrorColor: colour,
            validationErrorDescription: message,
          })),
        }),
  } satisfies Omit<SubmitReceiptResponse, 'operationID'>);
}

/**
 * The receipt a note refers to, on whatever device of the same taxpayer. With a receipt id the other fields are ignored;
 * without one the day, where given, tells two receipts of the same number apart.
 */
function findOriginal(db: Database, tin: string, receipt: SubmittedReceipt): StoredReceipt | undefined {
  const reference = receipt.creditDebitNote;
  if (reference === undefined) return undefined;
  const { receiptId, deviceId, globalNo, dayNo } = reference;
  if (receiptId !== undefined) return ownedBy(tin, receiptById(db, receiptId));
  if (deviceId === undefined || globalNo === undefined) return undefined;
  const found = receiptsByNumber(db, deviceId, globalNo).findLast(
    (held) => dayNo === undefined || held.dayNo === dayNo,
  );
  return ownedBy(tin, found);
}

function ownedBy(tin: string, receipt: StoredReceipt | undefined): StoredReceipt | undefined {
  return receipt?.tin === tin ? receipt : undefined;
}
