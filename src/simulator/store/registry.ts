/** Taxpayers, devices and their certificates. */
import type { FdmsAddress, FdmsContacts, FdmsTax, OperatingMode } from '../../fdms/index.ts';
import type { Database } from './database.ts';

export interface Taxpayer {
  readonly tin: string;
  readonly name: string;
  /** Null: not registered for VAT. */
  readonly vatNumber: string | null;
  readonly status: 'Active' | 'Inactive';
}

export interface Branch {
  readonly name: string;
  readonly address: FdmsAddress;
  readonly contacts?: FdmsContacts;
}

export interface Device {
  readonly deviceId: number;
  readonly tin: string;
  readonly serialNo: string;
  /** Null once it was used. */
  readonly activationKey: string | null;
  readonly branch: Branch;
  readonly operatingMode: OperatingMode;
  readonly status: 'Active' | 'Blocked' | 'Deactivated';
  readonly dayMaxHours: number;
  readonly notificationHours: number;
  /** How long its next certificate will be valid. */
  readonly certificateSeconds: number;
  /** All it ever had; GetConfig shows those valid now or in future. */
  readonly taxes: readonly FdmsTax[];
}

export interface DeviceCertificate {
  readonly certificateId: number;
  readonly deviceId: number;
  readonly fingerprint: string;
  readonly pem: string;
  /** Unix seconds of the authority's clock. */
  readonly validFrom: number;
  readonly validTill: number;
  /** Issued: made, but never used yet. */
  readonly status: 'Issued' | 'Active' | 'Revoked';
}

export function saveTaxpayer(db: Database, { tin, ...taxpayer }: Taxpayer): void {
  db.upsert('taxpayers', { tin }, taxpayer);
}

const TAXPAYER_COLUMNS = 'tin, name, vat_number as "vatNumber", status';

export function findTaxpayer(db: Database, tin: string): Taxpayer | undefined {
  return db.get(`select ${TAXPAYER_COLUMNS} from taxpayers where tin = ?`, tin);
}

export function listTaxpayers(db: Database): Taxpayer[] {
  return db.all<Taxpayer>(`select ${TAXPAYER_COLUMNS} from taxpayers order by tin`);
}

const DEVICE_COLUMNS = `device_id as "deviceId", tin, serial_no as "serialNo", activation_key as "activationKey", branch,
  operating_mode as "operatingMode", status, day_max_hours as "dayMaxHours", notification_hours as "notificationHours",
  certificate_seconds as "certificateSeconds", taxes`;
type DeviceRow = Omit<Device, 'branch' | 'taxes'> & { readonly branch: string; readonly taxes: string };

const toDevice = (row: DeviceRow): Device => ({
  ...row,
  branch: JSON.parse(row.branch) as Branch,
  taxes: JSON.parse(row.taxes) as FdmsTax[],
});

export function saveDevice(db: Database, { deviceId, branch, taxes, ...device }: Device): void {
  const texts = { branch: JSON.stringify(branch), taxes: JSON.stringify(taxes) };
  db.upsert('devices', { deviceId }, { ...device, ...texts });
}

export function findDevice(db: Database, deviceId: number): Device | undefined {
  const row = db.get<DeviceRow>(`select ${DEVICE_COLUMNS} from devices where device_id = ?`, deviceId);
  return row && toDevice(row);
}

export function listDevices(db: Database): Device[] {
  return db.all<DeviceRow>(`select ${DEVICE_COLUMNS} from devices order by device_id`).map(toDevice);
}

const CERTIFICATE_COLUMNS = `certificate_id as "certificateId", device_id as "deviceId", fingerprint, pem,
  valid_from as "validFrom", valid_till as "validTill", status`;

export function addCertificate(db: Database, certificate: Omit<DeviceCertificate, 'certificateId'>): void {
  db.insert('certificates', { ...certificate });
}

export function findCertificate(db: Database, fingerprint: string): DeviceCertificate | undefined {
  return db.get(`select ${CERTIFICATE_COLUMNS} from certificates where fingerprint = ?`, fingerprint);
}

export function certificateById(db: Database, certificateId: number): DeviceCertificate | undefined {
  return db.get(`select ${CERTIFICATE_COLUMNS} from certificates where certificate_id = ?`, certificateId);
}

export function listCertificates(db: Database, deviceId: number): DeviceCertificate[] {
  return db.all<DeviceCertificate>(
    `select ${CERTIFICATE_COLUMNS} from certificates where device_id = ? order by certificate_id`,
    deviceId,
  );
}

export function revokeCertificates(db: Database, deviceId: number): void {
  db.run(`update certificates set status = 'Revoked' where device_id = ?`, deviceId);
}

/** The first use of a certificate retires those before it: until then a lost answer must not lock the device out. */
export function activateCertificate(db: Database, { deviceId, certificateId }: DeviceCertificate): void {
  db.run(
    `update certificates set status = case certificate_id when ? then 'Active' else 'Revoked' end
     where device_id = ? and certificate_id <= ?`,
    certificateId,
    deviceId,
    certificateId,
  );
}
