import type { CertificateResponse } from '../../fdms/index.ts';
import { issueDeviceCertificate, readCertificateRequest } from '../certificates/device-certificate.ts';
import type { Authority } from '../state/authority.ts';
import {
  addCertificate,
  type Device,
  type DeviceCertificate,
  findDevice,
  revokeCertificates,
  saveDevice,
} from '../store/registry.ts';
import { type Answer, accepted, malformed, refused } from '../wire/answer.ts';
import { readIssueCertificate, readRegisterDevice } from '../wire/read-requests.ts';
import type { DeviceCall } from './call.ts';

/** The activation key works once; registering again needs a new one and ends the certificates before. */
export async function registerDevice(authority: Authority, { device, body }: DeviceCall): Promise<Answer> {
  const read = readRegisterDevice(body);
  if ('faults' in read) return malformed(read.faults);
  const { activationKey, certificateRequest } = read.value;
  if (activationKey !== device.activationKey) return refused('DEV02');
  const made = await certify(authority, device, certificateRequest);
  if ('refusal' in made) return made.refusal;
  return authority.db.transact(() => {
    // Another registration may have used the key while this certificate was made.
    const current = findDevice(authority.db, device.deviceId);
    if (current?.activationKey !== activationKey) return refused('DEV02');
    saveDevice(authority.db, { ...current, activationKey: null });
    revokeCertificates(authority.db, device.deviceId);
    addCertificate(authority.db, made.certificate);
    return answer(made.certificate.pem);
  });
}

/** Possible at any time, whatever the state of the day. The certificate before stays good until the new one is used. */
export async function issueCertificate(authority: Authority, { device, body }: DeviceCall): Promise<Answer> {
  const read = readIssueCertificate(body);
  if ('faults' in read) return malformed(read.faults);
  const made = await certify(authority, device, read.value.certificateRequest);
  if ('refusal' in made) return made.refusal;
  return authority.db.transact(() => {
    addCertificate(authority.db, made.certificate);
    return answer(made.certificate.pem);
  });
}

type Made = { readonly certificate: Omit<DeviceCertificate, 'certificateId'> } | { readonly refusal: Answer };

async function certify({ identity, clock }: Authority, device: Device, pem: string): Promise<Made> {
  const request = await readCertificateRequest(pem, device);
  if (typeof request === 'string') return { refusal: refused('DEV03', request) };
  const { certificateSeconds } = device;
  return { certificate: await issueDeviceCertificate(identity, request, device, clock.instant(), certificateSeconds) };
}

function answer(certificate: string): Answer {
  return accepted({ certificate } satisfies Omit<CertificateResponse, 'operationID'>);
}
