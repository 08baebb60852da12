/** Words, bounds and defaults of the contract as plain constants, without its schema library: the console uses them, too. */

export const DEFAULT_ZONE = 'Africa/Harare';
/** How something was paid, in the authority's order, which is the order of a day's closing string. */
export const PAYMENT_TYPES = ['Cash', 'Card', 'MobileWallet', 'Coupon', 'Credit', 'BankTransfer', 'Other'] as const;
export const DAY_STATES = ['Closed', 'Opening', 'Opened', 'Closing', 'CloseInitiated', 'CloseFailed'] as const;

/** The events that every feed has. */
export const ALERT_EVENTS = ['alert.raised', 'alert.solved'] as const;
/** Those of a vendor's feed that a biller's people are told: of its own payments. */
export const BILLER_EVENTS = ['payment.paid', 'payment.failed', 'payment.flagged', 'payment.reversed'] as const;

export const ENDPOINT_STATES = ['Active', 'Paused', 'Unconfirmed'] as const;

/**
 * Whom people work for: they act on exactly one of these at a time. Of each, the field that names it wherever a body or a query does;
 * the installation needs none.
 */
export const TENANT_FIELDS = {
  installation: undefined,
  taxpayer: 'TaxpayerId',
  vendor: 'VendorId',
  biller: 'BillerCode',
  practice: 'PracticeId',
} as const;
export type TenantKind = keyof typeof TENANT_FIELDS;
export const TENANT_KINDS = [
  'installation',
  'taxpayer',
  'vendor',
  'biller',
  'practice',
] as const satisfies readonly TenantKind[];
/** Of the list with which a practice adds taxpayers; the last two may be empty. */
export const ONBOARDING_COLUMNS = ['Name', 'TIN', 'VatNumber', 'Email'] as const;
/** By the field that names one. */
export const kindOfTenant = (named: Readonly<Partial<Record<string, string>>>): TenantKind =>
  TENANT_KINDS.find((kind) => named[TENANT_FIELDS[kind] ?? ''] !== undefined) ?? 'installation';
/** Each includes the one before: of the installation, and of every other tenant. */
export const INSTALLATION_ROLES = ['viewer', 'operator', 'admin'] as const;
export const TENANT_ROLES = ['viewer', 'clerk', 'owner'] as const;
export type InstallationRole = (typeof INSTALLATION_ROLES)[number];
export type TenantRole = (typeof TENANT_ROLES)[number];
export type Role = InstallationRole | TenantRole;

export const rolesOf = (kind: TenantKind): readonly Role[] =>
  kind === 'installation' ? INSTALLATION_ROLES : TENANT_ROLES;

export function includesRole(kind: TenantKind, role: Role, needed: Role): boolean {
  const roles = rolesOf(kind);
  return roles.includes(needed) && roles.indexOf(role) >= roles.indexOf(needed);
}

/**
 * What a token may be used for, by whose it is. One that signs has no need to register endpoints: a stolen one must not copy sales elsewhere. A
 * biller's reads the figures of its target and its feed. A program of the operators has a role.
 */
export const TOKEN_SCOPES = {
  taxpayer: ['sign', 'read', 'endpoints'],
  vendor: ['pay', 'read', 'endpoints'],
  biller: ['figures'],
  installation: INSTALLATION_ROLES,
} as const;
export const TOKEN_STATES = ['Active', 'Expired', 'Revoked'] as const;
export type TokenKind = keyof typeof TOKEN_SCOPES;
export type TokenScope<Kind extends TokenKind = TokenKind> = (typeof TOKEN_SCOPES)[Kind][number];

export const ID_PATTERN = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
const MAX_INTEGER = 2_147_483_647;
const ONE_DAY_SECONDS = 86_400;
export const LIMIT_SECONDS = { type: 'integer', minimum: 0, maximum: ONE_DAY_SECONDS } as const;

/** What registering a device takes, in the words of JSON Schema. Those with a default, and the last one, may be left out. */
export const REGISTRATION = {
  TaxpayerId: { type: 'string', pattern: ID_PATTERN },
  AuthorityDeviceId: { type: 'integer', minimum: 1, maximum: MAX_INTEGER },
  SerialNumber: { type: 'string', minLength: 1, maxLength: 20 },
  ActivationKey: { type: 'string', minLength: 8, maxLength: 8 },
  KeyAlgorithm: { type: 'string', enum: ['ECDSA-P256', 'RSA-2048'], default: 'ECDSA-P256' },
  Zone: { type: 'string', maxLength: 60, default: DEFAULT_ZONE },
  MaintenanceStart: { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', default: '02:00' },
  DatePolicy: { type: 'string', enum: ['advance', 'strict'], default: 'advance' },
  AdvanceLimitSeconds: { ...LIMIT_SECONDS, default: 300 },
  FutureLimitSeconds: { ...LIMIT_SECONDS, default: 120 },
  LastGlobalCounter: { type: 'integer', minimum: 0, maximum: MAX_INTEGER },
} as const;

export const REGISTRATION_DEFAULTS = {
  KeyAlgorithm: REGISTRATION.KeyAlgorithm.default,
  Zone: REGISTRATION.Zone.default,
  MaintenanceStart: REGISTRATION.MaintenanceStart.default,
  DatePolicy: REGISTRATION.DatePolicy.default,
  AdvanceLimitSeconds: REGISTRATION.AdvanceLimitSeconds.default,
  FutureLimitSeconds: REGISTRATION.FutureLimitSeconds.default,
} as const;
