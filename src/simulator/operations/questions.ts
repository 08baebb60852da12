/** Operations of the authority that change nothing. */
import { X509Certificate } from 'node:crypto';
import type {
  ConfigResponse,
  PingResponse,
  ServerCertificateResponse,
  StatusResponse,
  VerifyTaxpayerResponse,
} from '../../fdms/index.ts';
import { formatWall } from '../../kernel/zone.ts';
import type { Authority } from '../state/authority.ts';
import { type FiscalDay, lastDay } from '../store/days.ts';
import { lastNumber, numberOfLatestDate } from '../store/receipts.ts';
import { type Answer, accepted, failed, malformed, refused } from '../wire/answer.ts';
import { readVerifyTaxpayer } from '../wire/read-requests.ts';
import type { CertifiedCall, DeviceCall } from './call.ts';

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

export function ping(authority: Authority): Answer {
  const reportingFrequency = authority.switches().reportingFrequencyMinutes;
  return accepted({ reportingFrequency } satisfies Omit<PingResponse, 'operationID'>);
}

/** Does not use up the activation key. */
export function verifyTaxpayer(_authority: Authority, { device, taxpayer, body }: DeviceCall): Answer {
  const read = readVerifyTaxpayer(body);
  if ('faults' in read) return malformed(read.faults);
  if (read.value.serialNo !== device.serialNo) return refused('DEV01');
  if (read.value.activationKey !== device.activationKey) return refused('DEV02');
  return accepted({
    taxPayerName: taxpayer.name,
    taxPayerTIN: taxpayer.tin,
    ...(taxpayer.vatNumber === null ? {} : { vatNumber: taxpayer.vatNumber }),
    deviceBranchName: device.branch.name,
    deviceBranchAddress: device.branch.address,
    ...(device.branch.contacts ? { deviceBranchContacts: device.branch.contacts } : {}),
  } satisfies Omit<VerifyTaxpayerResponse, 'operationID'>);
}

export function getConfig({ clock, qrUrl }: Authority, { device, taxpayer, certificate }: CertifiedCall): Answer {
  const now = clock.text();
  return accepted({
    taxPayerName: taxpayer.name,
    taxPayerTIN: taxpayer.tin,
    ...(taxpayer.vatNumber === null ? {} : { vatNumber: taxpayer.vatNumber }),
    deviceSerialNo: device.serialNo,
    deviceBranchName: device.branch.name,
    deviceBranchAddress: device.branch.address,
    ...(device.branch.contacts ? { deviceBranchContacts: device.branch.contacts } : {}),
    deviceOperatingMode: device.operatingMode,
    taxPayerDayMaxHrs: device.dayMaxHours,
    taxpayerDayEndNotificationHrs: device.notificationHours,
    // Taxes that have ended are no longer listed, although receipts of their time still use them.
    applicableTaxes: device.taxes.filter((tax) => tax.validTill === undefined || tax.validTill >= now),
    certificateValidTill: formatWall(clock.wallOf(certificate.validTill)),
    qrUrl,
  } satisfies Omit<ConfigResponse, 'operationID'>);
}

/** The certificate of the authority's signatures and the one that vouches for it; by its thumbprint, or the active one. */
export function getServerCertificate({ identity }: Authority, thumbprint: string | null): Answer {
  if (thumbprint !== null && thumbprint.toLowerCase() !== identity.thumbprint) {
    return failed(404, 'There is no certificate with this thumbprint');
  }
  const { validToDate } = new X509Certificate(identity.signingPem);
  return accepted({
    certificate: [identity.signingPem, identity.caPem],
    certificateValidTill: validToDate.toISOString().slice(0, 19),
  } satisfies Omit<ServerCertificateResponse, 'operationID'>);
}
