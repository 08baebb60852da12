import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import { DEFAULT_ZONE } from '../contract/shared/values.ts';
import { closest, distance } from '../kernel/distance.ts';
import { TAX_ROUNDINGS, type TaxRounding } from '../kernel/tax.ts';
import {
  addressList,
  type MailSettings,
  mailServer,
  type OpenIdSettings,
  oneOf,
  openIdProvider,
  webAddress,
  wholeNumber,
  yesOrNo,
  zoneName,
} from './setting-values.ts';
import { StartRefusal } from './start-refusal.ts';

/** Everything that can be set from outside, read once at the start. Only this file knows that it comes from the environment. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Undefined: `http://HOST:PORT`, known once the port is. */
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  /** Undefined: our own PostgreSQL is started inside dataDir. */
  readonly databaseUrl: string | undefined;
  /** Whether the server of databaseUrl may be one that loses what it has confirmed. */
  readonly allowsUnsafeDatabase: boolean;
  /** Undefined or `simulator`: the built-in simulator is started. */
  readonly authorityUrl: string | undefined;
  readonly authorityCaFile: string | undefined;
  readonly authorityModel: string;
  readonly authorityModelVersion: string;
  /** How many devices keep a connection to the authority, and so how many may talk to it at once. */
  readonly authorityConnections: number;
  /** Whether the authority takes buyers without TIN or name, and partial addresses; most mark them red. */
  readonly sendsPartialBuyers: boolean;
  /** Whether the cashier's name goes to the authority. */
  readonly sendsCashier: boolean;
  /** Where exactly half a cent of tax goes. */
  readonly taxRounding: TaxRounding;
  /** How long a request waits for its own submission. */
  readonly submissionWaitMs: number;
  /** Where bill payments find the signing API; undefined: publicUrl. */
  readonly fiscalUrl: string | undefined;
  /** From the end of one attempt of a callback to the start of the next. */
  readonly webhookIntervalMs: number;
  /** For one attempt as a whole. */
  readonly webhookTimeoutMs: number;
  /** Whether a vendor's callback URL may be on a private or loopback address. */
  readonly webhookAllowsPrivate: boolean;
  /** What this installation calls from, for those who let in nobody else; shown with their endpoints. */
  readonly senderAddresses: readonly string[];
  readonly roles: ReadonlySet<Role>;
  /** Per token; 0 means no limit. */
  readonly rateLimitPerSecond: number;
  /** How many proxies in front write who sent a request, and are believed. */
  readonly trustedProxies: number;
  readonly logLevel: LogLevel;
  /** Whether a collector is named, by the variables that OpenTelemetry reads. */
  readonly isTraced: boolean;
  /** Undefined: no mail is sent. */
  readonly mail: MailSettings | undefined;
  /** By which people may log in; undefined: only with their passwords. */
  readonly openId: OpenIdSettings | undefined;
  /** In which operators see every time; IANA name. */
  readonly timeZone: string;
  readonly masterKey: string | undefined;
  readonly masterKeyFile: string | undefined;
  readonly isDemo: boolean;
  /** Variables that are nearly ours, each as a sentence. */
  readonly misspelt: readonly string[];
}

const ROLES = ['fiscal', 'billpay', 'worker', 'console'] as const;
export type Role = (typeof ROLES)[number];
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** Refuses what is wrong with a line each that names the setting, what it got and what it takes. */
export function readSettings(environment: Environment = process.env, isWatched = process.stdout.isTTY): Settings {
  const asked = new Set<string>();
  const given = (name: string): string | undefined => {
    asked.add(name);
    return environment[name]?.trim() || undefined;
  };
  const databaseUrl = given('DATABASE_URL');
  const faults: string[] = [];
  const isDemo = attempt(() => yesOrNo('DEMO', given('DEMO'), databaseUrl === undefined), faults) ?? false;
  const readers: { readonly [Name in Exclude<keyof Settings, 'misspelt'>]: () => Settings[Name] } = {
    host: () => given('HOST') ?? '127.0.0.1',
    port: () => wholeNumber('PORT', given('PORT') ?? '3000', 0, 65_535),
    publicUrl: () => webAddress('PUBLIC_URL', given('PUBLIC_URL')),
    dataDir: () => resolve(given('DATA_DIR') ?? './data'),
    databaseUrl: () => databaseUrl,
    allowsUnsafeDatabase: () => yesOrNo('ALLOW_UNSAFE_DATABASE', given('ALLOW_UNSAFE_DATABASE'), false),
    authorityUrl: () => authorityAddress(given('AUTHORITY_URL')),
    authorityCaFile: () => given('AUTHORITY_CA_FILE'),
    authorityModel: () => given('AUTHORITY_MODEL') ?? 'Server',
    authorityModelVersion: () => given('AUTHORITY_MODEL_VERSION') ?? 'v1',
    authorityConnections: () =>
      wholeNumber(
        'AUTHORITY_CONNECTIONS',
        given('AUTHORITY_CONNECTIONS') ?? String(connectionsFor(totalmem())),
        1,
        100_000,
      ),
    sendsPartialBuyers: () => yesOrNo('SEND_PARTIAL_BUYERS', given('SEND_PARTIAL_BUYERS'), false),
    sendsCashier: () => yesOrNo('SEND_CASHIER', given('SEND_CASHIER'), false),
    taxRounding: () => oneOf('TAX_ROUNDING', given('TAX_ROUNDING') ?? 'half-even', TAX_ROUNDINGS),
    submissionWaitMs: () => wholeNumber('SUBMISSION_WAIT_MS', given('SUBMISSION_WAIT_MS') ?? '10000', 0, 60_000),
    fiscalUrl: () => webAddress('FISCAL_URL', given('FISCAL_URL')),
    webhookIntervalMs: () => wholeNumber('WEBHOOK_INTERVAL_MS', given('WEBHOOK_INTERVAL_MS') ?? '30000', 1, 86_400_000),
    webhookTimeoutMs: () => wholeNumber('WEBHOOK_TIMEOUT_MS', given('WEBHOOK_TIMEOUT_MS') ?? '10000', 1, 60_000),
    // The demo's receiver is on loopback.
    webhookAllowsPrivate: () => yesOrNo('WEBHOOK_ALLOW_PRIVATE', given('WEBHOOK_ALLOW_PRIVATE'), isDemo),
    senderAddresses: () => addressList('SENDER_ADDRESSES', given('SENDER_ADDRESSES')),
    roles: () =>
      new Set((given('ROLES') ?? ROLES.join(',')).split(',').map((role) => oneOf('ROLES', role.trim(), ROLES))),
    rateLimitPerSecond: () =>
      wholeNumber('RATE_LIMIT_PER_SECOND', given('RATE_LIMIT_PER_SECOND') ?? '200', 0, 1_000_000),
    trustedProxies: () => wholeNumber('TRUST_PROXY', given('TRUST_PROXY') ?? '0', 0, 10),
    // Who tries a demo or sits at a terminal wants to see where to click; what goes well is for the machines that collect it.
    logLevel: () => oneOf('LOG_LEVEL', given('LOG_LEVEL') ?? (isWatched || isDemo ? 'warn' : 'info'), LOG_LEVELS),
    isTraced: () => {
      const names = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
      return names.map((name) => webAddress(name, given(name), 'http://collector.example.com:4318')).some(Boolean);
    },
    mail: () => mailServer(given('SMTP_URL'), given('MAIL_FROM')),
    openId: () => openIdProvider(given),
    timeZone: () => zoneName('TIME_ZONE', given('TIME_ZONE') ?? DEFAULT_ZONE),
    masterKey: () => given('MASTER_KEY'),
    masterKeyFile: () => given('MASTER_KEY_FILE'),
    isDemo: () => isDemo,
  };
  const values = Object.entries(readers).map(([name, read]) => [name, attempt<unknown>(read, faults)]);
  const settings = Object.fromEntries(values) as Settings;
  if (databaseUrl !== undefined) faults.push(...missingInRealInstallation(settings));
  const misspelt = Object.keys(environment).flatMap((name) => misspelling(name, asked));
  if (faults.length > 0) throw new StartRefusal([...faults, ...misspelt].join('\n'));
  return Object.freeze({ ...settings, misspelt });
}

/** The value of one setting; a fault is kept, so that all of them can be shown at once. */
function attempt<Value>(read: () => Value, faults: string[]): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StartRefusal)) throw error;
    faults.push(error.message);
    return undefined;
  }
}

/** With a separate database this is a real installation: a forgotten variable must never mean a fake authority. */
function missingInRealInstallation(settings: Settings): string[] {
  const faults: string[] = [];
  if (settings.authorityUrl === undefined)
    faults.push(
      'AUTHORITY_URL is missing: with DATABASE_URL set, say which tax authority to submit to (or the word simulator).',
    );
  if (settings.masterKey === undefined && settings.masterKeyFile === undefined)
    faults.push(
      'MASTER_KEY or MASTER_KEY_FILE is missing: with DATABASE_URL set, give 32 random bytes as base64 (openssl rand -base64 32) and keep them safe.',
    );
  return faults;
}

/** A variable that is nearly one of ours. Short names are near to too many others of a machine's variables. */
function misspelling(name: string, known: ReadonlySet<string>): string[] {
  if (known.has(name) || name.length < 6) return [];
  const near = closest(name, [...known]);
  return distance(name, near) <= 2 ? [`${name} is no setting: did you mean ${near}?`] : [];
}

/** An eighth of the memory: 200 kB each. With the most of them and 10,000 devices an instance stays below 1 GB. */
export function connectionsFor(memoryBytes: number): number {
  return Math.max(100, Math.min(2500, Math.floor(memoryBytes / 8 / 200_000)));
}

function authorityAddress(text: string | undefined): string | undefined {
  return text === 'simulator' ? text : webAddress('AUTHORITY_URL', text);
}
