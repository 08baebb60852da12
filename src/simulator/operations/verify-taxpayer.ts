import type { VerifyTaxpayerResponse } from '../../fdms/index.ts';
import type { Authority } from '../state/authority.ts';
import { type Answer, accepted, malformed, refused } from '../wire/answer.ts';
import { readVerifyTaxpayer } from '../wire/read-requests.ts';
import type { DeviceCall } from './call.ts';

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
