import type { CertifiedCall, DeviceCall, Operation } from '../operations/call.ts';
import { closeDay } from '../operations/close-day.ts';
import { issueCertificate, registerDevice } from '../operations/issue-certificate.ts';
import { openDay } from '../operations/open-day.ts';
import { getConfig, getStatus, ping, verifyTaxpayer } from '../operations/questions.ts';
import { submitReceipt } from '../operations/submit-receipt.ts';

export interface PublicRoute {
  readonly method: 'GET' | 'POST';
  readonly run: Operation<DeviceCall>;
}

export interface DeviceRoute {
  readonly method: 'GET' | 'POST';
  /** A device in offline mode may not call it (DEV01). */
  readonly isOnlineOnly: boolean;
  readonly run: Operation<CertifiedCall>;
}

export const PUBLIC_ROUTES: Readonly<Record<string, PublicRoute>> = {
  VerifyTaxpayerInformation: { method: 'POST', run: verifyTaxpayer },
  RegisterDevice: { method: 'POST', run: registerDevice },
};

export const DEVICE_ROUTES: Readonly<Record<string, DeviceRoute>> = {
  GetConfig: { method: 'GET', isOnlineOnly: false, run: getConfig },
  GetStatus: { method: 'GET', isOnlineOnly: true, run: getStatus },
  OpenDay: { method: 'POST', isOnlineOnly: true, run: openDay },
  SubmitReceipt: { method: 'POST', isOnlineOnly: true, run: submitReceipt },
  CloseDay: { method: 'POST', isOnlineOnly: true, run: closeDay },
  IssueCertificate: { method: 'POST', isOnlineOnly: false, run: issueCertificate },
  Ping: { method: 'POST', isOnlineOnly: false, run: ping },
};

/** What a path asks for. `deviceId` is undefined where the path has none. */
export interface Target {
  readonly operation: string;
  readonly deviceId: number | undefined;
  readonly method: 'GET' | 'POST';
  readonly area: 'Public' | 'Device';
}

const INT32_MAX = 2_147_483_647;

export function findTarget(path: string): Target | undefined {
  if (path === '/Public/v1/GetServerCertificate') {
    return { operation: 'GetServerCertificate', deviceId: undefined, method: 'GET', area: 'Public' };
  }
  const match = /^\/(Public|Device)\/v1\/(\d{1,10})\/([A-Za-z]+)$/.exec(path);
  const [, area, digits = '', operation = ''] = match ?? [];
  const routes = area === 'Public' ? PUBLIC_ROUTES : DEVICE_ROUTES;
  const route = Object.hasOwn(routes, operation) ? routes[operation] : undefined;
  if (route === undefined || (area !== 'Public' && area !== 'Device') || Number(digits) > INT32_MAX) return undefined;
  return { operation, deviceId: Number(digits), method: route.method, area };
}
