/** Bodies of the control API. It is for tests and demonstrations, so a wrong field is named and nothing more. */
import type { FdmsTax } from '../../fdms/index.ts';
import { formatDecimal } from '../../kernel/decimal.ts';
import { formatWall, parseWall } from '../../kernel/zone.ts';
import { type ExactJson, JsonRefusal, parseExactJson } from '../../platform/json/exact-json.ts';
import type { DeviceModel, Switches } from '../state/switches.ts';
import type { Branch, Device, Taxpayer } from '../store/registry.ts';
import { type Faults as FieldFaults, type Fields, readFields } from '../wire/fields.ts';

export class ControlRefusal extends Error {
  override readonly name = 'ControlRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function readControl<T>(body: Buffer, read: (fields: Fields) => T): T {
  let json: ExactJson;
  try {
    json = parseExactJson(body.length === 0 ? Buffer.from('{}') : body);
  } catch (error) {
    if (error instanceof JsonRefusal) throw new ControlRefusal(400, error.message);
    throw error;
  }
  const faults: FieldFaults = new Map();
  const value = readFields(json, json.value, '', faults, read);
  if (value !== undefined && faults.size === 0) return value;
  throw new ControlRefusal(400, [...faults].map(([field, messages]) => `${field}: ${messages.join(' ')}`).join('; '));
}

export function readTaxpayer(fields: Fields): Taxpayer {
  return {
    tin: fields.text('tin', 10),
    name: fields.text('name', 250),
    vatNumber: fields.optionalText('vatNumber', 9) ?? null,
    status: fields.optionalOneOf('status', ['Active', 'Inactive']) ?? 'Active',
  };
}

/** What of a device can be given when it is made, and changed later. */
export function readDeviceSettings(fields: Fields): Partial<Device> {
  const days = fields.optionalInteger('certificateDays');
  return withoutUndefined({
    serialNo: fields.optionalText('serialNo', 20),
    activationKey: fields.optionalText('activationKey', 8)?.toUpperCase(),
    branch: fields.optionalObject('branch', readBranch),
    operatingMode: fields.optionalOneOf('operatingMode', ['Online', 'Offline']),
    status: fields.optionalOneOf('status', ['Active', 'Blocked', 'Deactivated']),
    dayMaxHours: fields.optionalInteger('dayMaxHours'),
    notificationHours: fields.optionalInteger('dayEndNotificationHours'),
    certificateSeconds:
      fields.optionalInteger('certificateSeconds') ?? (days === undefined ? undefined : days * 86_400),
    taxes: fields.optionalList('taxes', readTax),
  });
}

function readBranch(fields: Fields): Branch {
  const contacts = fields.optionalObject('contacts', (contact) =>
    withoutUndefined({ phoneNo: contact.optionalText('phoneNo', 20), email: contact.optionalText('email', 100) }),
  );
  return {
    name: fields.text('name', 250),
    address: fields.object('address', (address) => ({
      province: address.text('province', 100),
      city: address.text('city', 100),
      street: address.text('street', 100),
      houseNo: address.text('houseNo', 100),
    })) ?? { province: '', city: '', street: '', houseNo: '' },
    ...(contacts ? { contacts } : {}),
  };
}

/** `taxPercent` absent or null: exempt. */
function readTax(fields: Fields): FdmsTax {
  const percent = fields.optionalDecimal('taxPercent', 5, 2);
  const validTill = fields.optionalText('validTill', 19);
  if (validTill !== undefined && parseWall(validTill) === undefined) fields.fault('validTill', 'is no date and time');
  return {
    taxID: fields.integer('taxID'),
    ...(percent === undefined ? {} : { taxPercent: formatDecimal(percent) }),
    taxName: fields.text('taxName', 50),
    validFrom: formatWall(fields.date('validFrom')),
    ...(validTill === undefined ? {} : { validTill }),
  };
}

export function readSwitches(fields: Fields): Partial<Switches> {
  const model = (entry: Fields): DeviceModel => ({
    name: entry.text('name', 100),
    version: entry.text('version', 100),
  });
  return withoutUndefined({
    closeDelayMs: fields.optionalInteger('closeDelayMs'),
    rounding: fields.optionalOneOf('rounding', ['half-even', 'half-up']),
    toleranceCents: fields.optionalInteger('toleranceCents'),
    futureAllowanceSeconds: fields.optionalInteger('futureAllowanceSeconds'),
    openingAllowanceSeconds: fields.optionalInteger('openingAllowanceSeconds'),
    dayEndAllowanceSeconds: fields.optionalInteger('dayEndAllowanceSeconds'),
    minimumGapSeconds: fields.optionalInteger('minimumGapSeconds'),
    dateSuffix: fields.optionalText('dateSuffix', 20),
    hasLastNumberQuirk: fields.optionalBoolean('hasLastNumberQuirk'),
    doesManualCloseSettleGaps: fields.optionalBoolean('doesManualCloseSettleGaps'),
    reportingFrequencyMinutes: fields.optionalInteger('reportingFrequencyMinutes'),
    models: fields.optionalList('models', model),
    blacklistedModels: fields.optionalList('blacklistedModels', model),
  });
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}
