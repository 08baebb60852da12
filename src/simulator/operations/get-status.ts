import type { StatusResponse } from '../../fdms/index.ts';
import { formatWall } from '../../kernel/zone.ts';
import type { Authority } from '../state/authority.ts';
import { type FiscalDay, lastDay } from '../store/days.ts';
import { lastNumber, numberOfLatestDate } from '../store/receipts.ts';
import { type Answer, accepted } from '../wire/answer.ts';
import type { CertifiedCall } from './call.ts';

export function getStatus(authority: Authority, { device }: CertifiedCall): Answer {
  const { db } = authority;
  const day = lastDay(db, device.deviceId);
  const findNumber = authority.switches().hasLastNumberQuirk ? numberOfLatestDate : lastNumber;
  const lastReceiptGlobalNo = findNumber(db, device.deviceId);
  return accepted({
    fiscalDayStatus: day?.status ?? 'FiscalDayClosed',
    ...(day ? dayFields(day, authority.switches().dateSuffix) : {}),
    ...(lastReceiptGlobalNo === undefined ? {} : { lastReceiptGlobalNo }),
  } satisfies Omit<StatusResponse, 'operationID'>);
}

function dayFields(day: FiscalDay, dateSuffix: string): Partial<StatusResponse> {
  const { closedAt, mode, serverSignature, closingError, counters, documents } = day;
  return {
    lastFiscalDayNo: day.dayNo,
    ...(day.status !== 'FiscalDayClosed' && closingError ? { fiscalDayClosingErrorCode: closingError } : {}),
    ...(day.status === 'FiscalDayClosed' && mode && serverSignature && closedAt !== null
      ? {
          fiscalDayReconciliationMode: mode,
          fiscalDayServerSignature: serverSignature,
          fiscalDayClosed: formatWall(closedAt) + dateSuffix,
        }
      : {}),
    // For the device to adopt: only a person may have counted what it has not.
    ...(mode === 'Manual' && counters && documents
      ? { fiscalDayCounter: counters, fiscalDayDocumentQuantities: documents }
      : {}),
  };
}
