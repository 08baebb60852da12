import { normalisedExample, signedExample } from '../../contract/fiscal/receipt-examples.ts';
import { VERSION } from '../../platform/version.ts';

const AT = '2026-11-15T10:00:00.000Z';
const ID = '0198b7e2-4c1d-7f3a-9a55-2f1c8e6d0b47';

/** What shapes and fields are called, and a value that looks like one of them: the same shop in all examples. */
const VALUES: Readonly<Record<string, unknown>> = {
  NormalisedReceipt: normalisedExample,
  SignedReceipt: signedExample,
  Action: 'device.changed',
  Actor: 'tendai@example.com',
  Address: 'https://shop.example.com/tillseal',
  AdvanceLimitSeconds: 300,
  Amount: 10,
  AttemptId: '5120',
  AuthorityDeviceId: 1001,
  AuthorityReceiptId: '7001',
  BatchSize: 50,
  BillPayReference: 'P01KA3V2Q80X7M4B9T2HC',
  BillerCode: 'HARARE-WATER',
  BranchName: 'Harare',
  CallbackUrl: 'https://mobipay.example.com/billers-changed',
  Cause: 'accepted for the biller',
  ClosedAt: AT,
  ClosedDays: 0,
  Consequences: ['Receipts 146 and 147 are lost: this installation has no trace of them.'],
  Code: 'HARARE-WATER',
  Counts: Array.from({ length: 60 }, () => 12),
  Currency: 'USD',
  Date: AT,
  DayStates: { Opened: 41, Closed: 2 },
  DayStatus: 'FiscalDayOpened',
  DeliveredAt: AT,
  Description: 'Bookkeeping',
  DeviceSerialNumber: 'TILLSEAL-DEMO-1',
  DurationMs: 84,
  Email: 'tendai@example.com',
  Enabled: true,
  EndedBy: 'an operator',
  Fee: 0.35,
  Field: 'ReceiptLines[0].TaxPercent',
  Fingerprints: ['5d1e3a77c20b94f6'],
  FirstNumber: 2012,
  Fixed: 0.5,
  Footer: 'Thank you for shopping with us!',
  FormerGlobalCounter: 145,
  FutureLimitSeconds: 120,
  GlobalCounter: 147,
  Holds: true,
  HsCode: '19059010',
  IsAuthoritySignatureValid: true,
  IsConfirmed: true,
  IsOpen: true,
  IsOpenConfirmed: true,
  Key: 'Meter',
  Kind: 'DeviceStopped',
  LastNumber: 2012,
  LastStatusCode: 200,
  LineTotal: 3.5,
  MaintenanceStart: '02:00',
  MemberName: 'Tendai Moyo',
  MemberNumber: '10023456',
  Message: 'Device 1001: answers of the authority make no sense. Nothing of it is submitted until an operator decides.',
  MessageId: 'msg_3q2u7wAAq83vASNFZ4mrze',
  MoneyType: 'Cash',
  Name: 'Msasa Corner Shop',
  NewestNumber: 2043,
  Number: '147',
  OneTimePassword: 'k7wmq-3hzcv-9ftpd-x2ybn',
  Opened: '2026-11-15T04:00:00',
  OpensAt: '2026-11-16T04:00:00+02:00',
  PaidAt: AT,
  Percent: 1.5,
  Prefix: 'tsk_8sVq',
  Price: 5,
  Problem: 'DEV01: the device is blocked',
  Quantity: 2,
  RedReceipts: ['INV-000147'],
  Reference: 'INV-000147',
  Report: 'REPORT: FISCAL DEVICE OUT OF USE\n\nTIN: 2000123456\n…',
  SalesAmountWithTax: 3.5,
  SealedAt: AT,
  Secret: 'whsec_ExampleExampleExampleExampleExampleExample',
  SenderAddresses: ['203.0.113.7'],
  SerialNumber: 'TILLSEAL-DEMO-1',
  State: 'Delivered',
  Status: 'Paid',
  StatusCode: 200,
  Subject: 'device 1001',
  TIN: '2000123456',
  TargetAchievedAmount: 125480.5,
  TargetAchievedUnits: 5021,
  TargetAmount: 250000,
  TargetUnits: 10000,
  TaxAmount: 0.47,
  TaxId: 517,
  TaxName: 'Standard rated',
  TaxPercent: 15.5,
  TaxpayerName: 'Msasa Corner Shop (Pvt) Ltd',
  TimeZone: 'Africa/Harare',
  Token: 'tsk_8sVqExampleExampleExampleExampleExampleExample',
  TokenName: 'Till 3',
  Total: 104512.7,
  TotalAmount: 10.35,
  TotalGross: 103.95,
  TotalNet: 90,
  TotalTax: 13.95,
  Type: 'FiscalInvoice',
  UnitPrice: 3.5,
  ValidFrom: '2026-01-01',
  Value: '0142-77',
  VatNumber: '220123456',
  VendorCode: 'MOBIPAY',
  VendorIds: [ID],
  VendorReference: 'V-000147',
  Version: VERSION,
  WebhookSecret: 'whsec_ExampleExampleExampleExampleExampleExample=',
  Words: 'the authority refuses connections (ECONNREFUSED)',
  Zone: 'Africa/Harare',
};

interface Schema {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly object[];
  readonly oneOf?: readonly object[];
  readonly format?: string;
  readonly minimum?: number;
  readonly items?: object;
  readonly properties?: Readonly<Record<string, object>>;
}

/** An example that follows from a schema: what it names itself, what fields of the name have, or the least that fits. */
export function exampleOf(described: object, name = ''): unknown {
  const schema: Schema = described;
  const [own] = schema.examples ?? [schema.const];
  if (own !== undefined) return own;
  const types = [schema.type ?? []].flat();
  const known = [schema.title, name].map((key) => VALUES[key ?? '']).find((value) => fits(schema, types, value));
  if (known !== undefined) return known;
  if (schema.enum !== undefined) return types.includes('null') ? null : schema.enum[0];
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first !== undefined) return exampleOf(first, name);
  if (types.includes('null')) return null;
  const [type = 'string'] = types;
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, property]) => [key, exampleOf(property, key)]),
      );
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items, name.replace(/ies$/, 'y').replace(/s$/, ''))];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    default:
      return schema.format === 'date-time' || name.endsWith('At') ? AT : name.endsWith('Id') ? ID : '…';
  }
}

function fits({ enum: words }: Schema, types: readonly string[], value: unknown): boolean {
  if (words !== undefined) return words.includes(value);
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return types.includes(type) || (type === 'number' && types.includes('integer'));
}
