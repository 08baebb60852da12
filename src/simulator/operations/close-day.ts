import type { Authority } from '../state/authority.ts';
import { lastDay, saveDay } from '../store/days.ts';
import { type Answer, accepted, malformed, refused } from '../wire/answer.ts';
import { readCloseDay } from '../wire/read-requests.ts';
import type { CertifiedCall } from './call.ts';

/** Accepting is all that happens here; what becomes of the day is decided later and seen by GetStatus. */
export function closeDay(authority: Authority, { device, body, certificate }: CertifiedCall): Answer {
  const read = readCloseDay(body);
  if ('faults' in read) return malformed(read.faults);
  const day = lastDay(authority.db, device.deviceId);
  if (day?.status === 'FiscalDayCloseInitiated') return refused('FISC03');
  if (day === undefined || day.status === 'FiscalDayClosed') return refused('FISC04');
  if (read.value.dayNo !== day.dayNo) return refused('FISC04', `Fiscal day ${read.value.dayNo} is not open`);
  saveDay(authority.db, {
    ...day,
    status: 'FiscalDayCloseInitiated',
    closingError: null,
    closeRequest: body.toString('utf8'),
    closeCertificateId: certificate.certificateId,
  });
  authority.scheduleClosing(device.deviceId);
  return accepted({});
}
