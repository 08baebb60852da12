/** From a request to its answer: who calls, whether they may, and what comes of it. */
import type { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Remark } from '../core/remarks.ts';
import { getServerCertificate } from '../operations/questions.ts';
import type { Authority } from '../state/authority.ts';
import type { DeviceModel } from '../state/switches.ts';
import {
  activateCertificate,
  type Device,
  type DeviceCertificate,
  findCertificate,
  findDevice,
  findTaxpayer,
  type Taxpayer,
} from '../store/registry.ts';
import { type Answer, failed, refused } from '../wire/answer.ts';
import { DEVICE_ROUTES, PUBLIC_ROUTES, type Target } from './routes.ts';

export interface GatewayRequest {
  readonly target: Target;
  readonly headers: IncomingHttpHeaders;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly peerCertificate: X509Certificate | undefined;
  readonly forcedRemarks: readonly Remark[];
}

/** A device's call runs whole inside a transaction; what has to wait for something opens its own when it writes. */
export async function perform(authority: Authority, request: GatewayRequest): Promise<Answer> {
  const { target, body } = request;
  if (target.deviceId === undefined) {
    return modelRefusal(authority, request) ?? getServerCertificate(authority, request.query.get('thumbprint'));
  }
  const { deviceId, operation } = target;
  if (target.area === 'Public') {
    const caller = identify(authority, request, deviceId);
    if ('refusal' in caller) return caller.refusal;
    return PUBLIC_ROUTES[operation]?.run(authority, { ...caller, body }) ?? failed(404);
  }
  const certificate = certificateOf(authority, request.peerCertificate, deviceId);
  if (!certificate) return failed(401, 'The client certificate is missing, unknown, expired or not of this device');
  const caller = identify(authority, request, deviceId);
  if ('refusal' in caller) return caller.refusal;
  const route = DEVICE_ROUTES[operation];
  if (route?.isOnlineOnly && caller.device.operatingMode !== 'Online') return refused('DEV01');
  if (!route) return failed(404);
  return authority.db.transact(() => {
    if (certificate.status === 'Issued') activateCertificate(authority.db, certificate);
    return route.run(authority, { ...caller, certificate, body, forcedRemarks: request.forcedRemarks });
  });
}

type Caller = { readonly device: Device; readonly taxpayer: Taxpayer } | { readonly refusal: Answer };

function identify(authority: Authority, request: GatewayRequest, deviceId: number): Caller {
  const wrongModel = modelRefusal(authority, request);
  if (wrongModel) return { refusal: wrongModel };
  const device = findDevice(authority.db, deviceId);
  const taxpayer = device && findTaxpayer(authority.db, device.tin);
  if (!device || !taxpayer) return { refusal: refused('DEV01') };
  if (taxpayer.status !== 'Active') return { refusal: refused('DEV05') };
  if (device.status !== 'Active') return { refusal: refused('DEV01') };
  return { device, taxpayer };
}

function modelRefusal(authority: Authority, { headers }: GatewayRequest): Answer | undefined {
  const { models, blacklistedModels } = authority.switches();
  const isGiven = ({ name, version }: DeviceModel) =>
    headers['devicemodelname'] === name && headers['devicemodelversion'] === version;
  if (blacklistedModels.some(isGiven)) return refused('DEV04');
  return models.some(isGiven) ? undefined : refused('DEV06');
}

/**
 * Checked here and not by the TLS library: validity counts by the authority's own clock, which tests move, and a
 * refusal must be an answer with status 401, not a broken handshake. That the caller holds the key, TLS has proven; that
 * the authority issued the certificate, its fingerprint among those issued proves.
 */
function certificateOf(
  { db, clock }: Authority,
  peer: X509Certificate | undefined,
  deviceId: number,
): DeviceCertificate | undefined {
  const certificate = peer && findCertificate(db, peer.fingerprint256);
  if (certificate?.deviceId !== deviceId || certificate.status === 'Revoked') return undefined;
  const now = clock.instant();
  if (now < certificate.validFrom || now > certificate.validTill) return undefined;
  return certificate;
}
