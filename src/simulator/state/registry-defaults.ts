import { randomInt } from 'node:crypto';
import type { FdmsTax } from '../../fdms/index.ts';
import type { Database } from '../store/database.ts';
import { type Device, findDevice, saveDevice, saveTaxpayer, type Taxpayer } from '../store/registry.ts';

const DEFAULT_TAXES: readonly FdmsTax[] = [
  { taxID: 1, taxName: 'Exempt', validFrom: '2020-01-01T00:00:00' },
  { taxID: 2, taxPercent: '0', taxName: 'Zero rated 0%', validFrom: '2020-01-01T00:00:00' },
  {
    taxID: 3,
    taxPercent: '15',
    taxName: 'Standard rated 15%',
    validFrom: '2020-01-01T00:00:00',
    validTill: '2025-12-31T23:59:59',
  },
  { taxID: 517, taxPercent: '15.5', taxName: 'Standard rated 15.5%', validFrom: '2026-01-01T00:00:00' },
];

const ONE_YEAR_SECONDS = 365 * 86_400;

const DEFAULT_BRANCH: Device['branch'] = {
  name: 'Main branch',
  address: { province: 'Harare', city: 'Harare', street: 'Samora Machel Avenue', houseNo: '45' },
  contacts: { phoneNo: '+263242000000', email: 'shop@example.com' },
};

export function newDevice(deviceId: number, tin: string, given: Partial<Device>): Device {
  return {
    deviceId,
    tin,
    serialNo: `SN-${deviceId}`,
    activationKey: newActivationKey(),
    branch: DEFAULT_BRANCH,
    operatingMode: 'Online',
    status: 'Active',
    dayMaxHours: 24,
    notificationHours: 2,
    certificateSeconds: ONE_YEAR_SECONDS,
    taxes: DEFAULT_TAXES,
    ...given,
  };
}

/** Without letters and digits that are mistaken for one another. */
export function newActivationKey(): string {
  return Array.from({ length: 8 }, () => 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'[randomInt(32)]).join('');
}

const DEMO_TAXPAYERS: readonly Taxpayer[] = [
  { tin: '2000000001', name: 'Baobab Trading (Pvt) Ltd', vatNumber: '220000001', status: 'Active' },
  { tin: '2000000002', name: 'Msasa Tuckshop', vatNumber: null, status: 'Active' },
];
const DEMO_DEVICES: readonly (readonly [number, string])[] = [
  [1001, '2000000001'],
  [1002, '2000000001'],
  [1003, '2000000002'],
];

/** Devices that anyone may register, with keys that can be guessed: 1001 (key DEMO1001), 1002, and 1003 without VAT. */
export function addDemoDevices(db: Database): void {
  if (DEMO_DEVICES.some(([deviceId]) => findDevice(db, deviceId))) return;
  for (const taxpayer of DEMO_TAXPAYERS) saveTaxpayer(db, taxpayer);
  for (const [deviceId, tin] of DEMO_DEVICES) {
    saveDevice(db, newDevice(deviceId, tin, { activationKey: `DEMO${deviceId}` }));
  }
}
