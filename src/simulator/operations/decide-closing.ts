/** What becomes of a day whose closing was accepted: specification §4.11, the four checks in their order. */
import type { FdmsCounter, FiscalDayProcessingError, ReconciliationMode } from '../../fdms/index.ts';
import { formatDecimal } from '../../kernel/decimal.ts';
import { formatWall } from '../../kernel/zone.ts';
import { signAsAuthority } from '../certificates/identity.ts';
import { areSameCounters, countersOf, type DayCounter, documentQuantities } from '../core/counters.ts';
import { isSignedWith } from '../core/signature.ts';
import { dayServerString, dayString } from '../core/signed-string.ts';
import type { Authority } from '../state/authority.ts';
import { type FiscalDay, lastDay, saveDay } from '../store/days.ts';
import { dayColours, receiptsOfDay } from '../store/receipts.ts';
import { type CloseRequest, readCloseDay } from '../wire/read-requests.ts';

export function decideClosing(authority: Authority, deviceId: number): void {
  const day = lastDay(authority.db, deviceId);
  // A person may have closed it meanwhile.
  if (day?.status !== 'FiscalDayCloseInitiated') return;
  const request = storedRequest(day);
  const fault = authority.strikeClosing(deviceId);
  const error = fault === undefined ? closingError(authority, day, request) : (fault.code ?? null);
  const status = fault?.isLeftOpen === true ? 'FiscalDayOpened' : 'FiscalDayCloseFailed';
  if (error === undefined) closeAs(authority, day, 'Auto', request.signature.signature);
  else saveDay(authority.db, { ...day, status, closingError: error });
  authority.log.info({ deviceId, dayNo: day.dayNo, error }, 'the closing of a day was decided');
}

/** By a person at the authority: whatever state the day is in, its counters are what the authority holds. */
export function closeByHand(authority: Authority, deviceId: number): FiscalDay | undefined {
  const day = lastDay(authority.db, deviceId);
  return day === undefined || day.status === 'FiscalDayClosed'
    ? undefined
    : closeAs(authority, day, 'Manual', undefined);
}

function closeAs(
  authority: Authority,
  day: FiscalDay,
  mode: ReconciliationMode,
  deviceSignature: string | undefined,
): FiscalDay {
  const receipts = receiptsOfDay(authority.db, day.deviceId, day.dayNo);
  const counters = countersOf(receipts);
  const closedAt = authority.clock.wall();
  const text = dayServerString(
    { ...day, counters },
    formatWall(closedAt) + authority.switches().dateSuffix,
    mode,
    deviceSignature,
  );
  const closed: FiscalDay = {
    ...day,
    status: 'FiscalDayClosed',
    mode,
    closedAt,
    closingError: null,
    serverSignature: signAsAuthority(authority.identity, text),
    counters: counters.map(toWire),
    documents: documentQuantities(receipts).map(({ type, currency, quantity, total }) => ({
      receiptType: type,
      receiptCurrency: currency,
      receiptQuantity: quantity,
      receiptTotalAmount: formatDecimal(total),
    })),
  };
  saveDay(authority.db, closed);
  return closed;
}

function closingError(
  { db, deviceKeys }: Authority,
  day: FiscalDay,
  request: CloseRequest,
): FiscalDayProcessingError | undefined {
  const { hasGrey, hasRed, lastCounter } = dayColours(db, day.deviceId, day.dayNo);
  const key = deviceKeys.keyOf(day.closeCertificateId ?? 0);
  const text = dayString({ ...day, counters: request.counters });
  if (!isSignedWith(key, text, request.signature)) return 'BadCertificateSignature';
  if (hasGrey || request.receiptCounter > lastCounter) return 'MissingReceipts';
  if (hasRed) return 'ReceiptsWithValidationErrors';
  const own = countersOf(receiptsOfDay(db, day.deviceId, day.dayNo));
  if (!areSameCounters(request.counters, own) || request.receiptCounter !== lastCounter) return 'CountersMismatch';
  return undefined;
}

function storedRequest(day: FiscalDay): CloseRequest {
  const read = readCloseDay(Buffer.from(day.closeRequest ?? '', 'utf8'));
  if ('faults' in read) throw new Error(`the stored CloseDay of device ${day.deviceId} cannot be read`);
  return read.value;
}

function toWire(counter: DayCounter): FdmsCounter {
  const { taxId, percent, moneyType } = counter;
  return {
    fiscalCounterType: counter.type,
    fiscalCounterCurrency: counter.currency,
    ...(taxId === undefined ? {} : { fiscalCounterTaxID: taxId }),
    ...(percent === undefined ? {} : { fiscalCounterTaxPercent: formatDecimal(percent) }),
    ...(moneyType === undefined ? {} : { fiscalCounterMoneyType: moneyType }),
    fiscalCounterValue: formatDecimal(counter.value),
  };
}
