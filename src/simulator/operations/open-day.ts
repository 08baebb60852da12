import type { OpenDayResponse } from '../../fdms/index.ts';
import type { Authority } from '../state/authority.ts';
import { lastDay, openedDay, saveDay } from '../store/days.ts';
import { type Answer, accepted, malformed, refused } from '../wire/answer.ts';
import { readOpenDay } from '../wire/read-requests.ts';
import type { CertifiedCall } from './call.ts';

export function openDay({ db }: Authority, { device, body }: CertifiedCall): Answer {
  const read = readOpenDay(body);
  if ('faults' in read) return malformed(read.faults);
  const last = lastDay(db, device.deviceId);
  if (last && last.status !== 'FiscalDayClosed') return refused('FISC01');
  const dayNo = (last?.dayNo ?? 0) + 1;
  if (read.value.dayNo !== undefined && read.value.dayNo !== dayNo) {
    return refused('FISC01', `Opening of a fiscal day is not possible: its number must be ${dayNo}`);
  }
  saveDay(db, openedDay(device.deviceId, dayNo, read.value.openedAt));
  return accepted({ fiscalDayNo: dayNo } satisfies Omit<OpenDayResponse, 'operationID'>);
}
