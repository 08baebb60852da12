import type { ConfigResponse } from '../../fdms/index.ts';
import { formatWall } from '../../kernel/zone.ts';
import type { Authority } from '../state/authority.ts';
import { type Answer, accepted } from '../wire/answer.ts';
import type { CertifiedCall } from './call.ts';

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
