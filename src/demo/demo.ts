import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Role, TenantKind, TenantRole } from '../contract/shared/values.ts';
import type { Gateway } from '../fdms/index.ts';
import {
  addTaxpayer,
  findDevice,
  lockHead,
  registerWithAuthority,
  updateDeviceSettings,
  wakeLane,
} from '../fiscal/index.ts';
import { newId } from '../kernel/ids.ts';
import { wallOfInstant } from '../kernel/zone.ts';
import { type Clock, seconds } from '../platform/clock.ts';
import { inTransaction } from '../platform/database/database.ts';
import type { Log } from '../platform/logging/log.ts';
import { makeFolder } from '../platform/make-folder.ts';
import type { MasterKeys } from '../platform/secrets/master-keys.ts';
import { StartRefusal } from '../platform/start-refusal.ts';
import { issueToken } from '../platform/tokens/issue-token.ts';
import { type DemoBillpay, payFresh, payThePast, prepareDemoVendor } from './demo-vendor.ts';

/** What a first start leaves in DATA_DIR/demo.json, so that people and programs can call the demo at once. */
export interface Demo {
  readonly baseUrl: string;
  readonly docsUrl: string;
  readonly consoleUrl: string;
  readonly billpayUrl: string;
  readonly taxpayer: { readonly id: string; readonly token: string; readonly cashierToken: string };
  readonly vendor: DemoBillpay['vendor'];
  readonly billers: DemoBillpay['billers'];
  readonly deviceId: number;
  readonly taxPercents: readonly (number | null)[];
  readonly operator: { readonly email: string; readonly password: string; readonly token?: string };
  /** Who else can log in; `of` names whom they act for. */
  readonly people: readonly DemoPerson[];
  readonly simulator: { readonly url: string; readonly controlUrl: string };
}

interface DemoPerson {
  readonly email: string;
  readonly password: string;
  readonly role: TenantRole;
  readonly of: string;
}

/** Somebody of the demo, and whom they act for. */
export interface DemoMember {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly tenant: { readonly kind: TenantKind; readonly id: string };
  readonly password: string;
}

export interface DemoContext {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly operatorToken: string | undefined;
  /** Lets someone log in to the console, unless they can already. */
  readonly addPerson: (person: DemoMember) => Promise<unknown>;
  /** The id of the one with this name, which looks after the taxpayer. */
  readonly ensurePractice: (name: string, taxpayerId: string) => Promise<string>;
  readonly newPassword: () => string;
  readonly simulator: { readonly url: string; readonly controlUrl: string } | undefined;
}

const ZONE = 'Africa/Harare';
/** The simulator knows this device and its activation key from the start. */
const DEVICE = { deviceId: 1001, serialNumber: 'SN-1001', activationKey: 'DEMO1001' };
const TAXPAYER = 'Baobab Trading (Pvt) Ltd';
const PRACTICE = 'Msasa Accountants';
const OPERATOR = { email: 'operator@demo.example', name: 'Demo operator' };
const OPEN_PATIENCE_MS = 15_000;

/**
 * Makes the demo on the first start and keeps it callable on later ones: its maintenance window is twelve hours away, and
 * its day is open before the demo is announced. Undefined when this installation has taxpayers that are not from our demo.
 */
export async function prepareDemo(context: DemoContext): Promise<Demo | undefined> {
  const { simulator } = context;
  if (simulator === undefined)
    throw new StartRefusal('DEMO=true needs the built-in authority: set AUTHORITY_URL=simulator.');
  const known = await readDemo(context.dataDir);
  const { rows } = await context.pool.query<{ taxpayer_id: string }>('select taxpayer_id from taxpayers');
  const isOurs = known !== undefined && rows.some((row) => row.taxpayer_id === known.taxpayer.id);
  if (rows.length > 0 && !isOurs) return undefined;
  const made = isOurs ? known : await makeTaxpayer(context);
  const { url, controlUrl } = simulator;
  const withOperator = { ...made, operator: { ...made.operator, ...(await ensureOperator(context, made)) } };
  const vendorContext = {
    ...context,
    taxpayerId: made.taxpayer.id,
    deviceId: DEVICE.deviceId,
    callbackUrl: callbackUrlAt(controlUrl),
  };
  const knownVendor = { ...made, callbackUrl: made.simulator && callbackUrlAt(made.simulator.controlUrl) };
  const { isNew, ...billpay } = await prepareDemoVendor(vendorContext, knownVendor, (vendor) =>
    writeDemo(context.dataDir, { ...withOperator, ...vendor }),
  );
  const demo: Demo = {
    ...withOperator,
    ...billpay,
    people: await ensurePeople(context, { ...withOperator, ...billpay }, billpay.billers.target),
    baseUrl: context.baseUrl,
    billpayUrl: context.baseUrl,
    docsUrl: `${context.baseUrl}/docs`,
    // At a name, as passkeys need it.
    consoleUrl: `${context.baseUrl.replace('//127.0.0.1:', '//localhost:')}/console`,
    simulator: { url, controlUrl },
  };
  await writeDemo(context.dataDir, demo);
  await Promise.all([prepareDevice(context, demo.taxpayer.id), isNew && payThePast(vendorContext, billpay)]);
  if (isNew) await payFresh(vendorContext, billpay);
  return demo;
}

/** The simulator plays the receiver of the vendor's callback, too. */
function callbackUrlAt(controlUrl: string): string {
  return `${controlUrl}/webhooks`;
}

/** The demo of an older version has no operator yet. */
async function ensureOperator(context: DemoContext, made: Made): Promise<{ email: string; password: string }> {
  const { email = OPERATOR.email, password = context.newPassword() } = made.operator ?? {};
  await writeDemo(context.dataDir, { ...made, operator: { ...made.operator, email, password } });
  const tenant = { kind: 'installation', id: '' } as const;
  await context.addPerson({ email, name: OPERATOR.name, role: 'admin', tenant, password });
  return { email, password };
}

/** One for each view there is. Whoever is known already keeps the password. */
async function ensurePeople(context: DemoContext, made: Made, billerCode: string): Promise<DemoPerson[]> {
  const { id } = made.taxpayer;
  const practice = await context.ensurePractice(PRACTICE, id);
  const people = (
    [
      ['owner@demo.example', 'Rudo Moyo', 'owner', 'taxpayer', id, TAXPAYER],
      ['accountant@demo.example', 'Tendai Sithole', 'owner', 'practice', practice, PRACTICE],
      ['clerk@demo.example', 'Chipo Ncube', 'clerk', 'biller', billerCode, billerCode],
    ] as const
  ).map(([email, name, role, kind, tenantId, of]) => ({
    listed: {
      email,
      password: made.people?.find((known) => known.email === email)?.password ?? context.newPassword(),
      role,
      of: `${kind} ${of}`,
    },
    name,
    tenant: { kind, id: tenantId },
  }));
  const listed = people.map((person) => person.listed);
  await writeDemo(context.dataDir, { ...made, people: listed });
  for (const { listed: asked, ...person } of people) await context.addPerson({ ...asked, ...person });
  return listed;
}

type Made = Pick<Demo, 'taxpayer' | 'deviceId' | 'taxPercents'> &
  Partial<Pick<Demo, 'vendor' | 'billers' | 'people' | 'simulator'>> & {
    readonly operator?: Partial<Demo['operator']>;
  };

async function makeTaxpayer(context: DemoContext): Promise<Made> {
  const taxpayerId = newId();
  return inTransaction(context.pool, async (tx) => {
    const taxpayer = { taxpayerId, name: TAXPAYER, tin: '2000000001', vatNumber: '220000001' };
    await addTaxpayer(tx, context.masterKeys, taxpayer);
    const till = await issueToken(tx, { taxpayerId, name: 'Demo till', scopes: ['sign', 'read', 'endpoints'] });
    const cashier = await issueToken(tx, {
      taxpayerId,
      name: 'Demo till of Rudo',
      scopes: ['sign', 'read'],
      defaultCashier: 'Rudo',
    });
    const made = {
      taxpayer: { id: taxpayerId, token: till.token, cashierToken: cashier.token },
      deviceId: DEVICE.deviceId,
      taxPercents: [15.5, 0, null],
      ...(context.operatorToken === undefined ? {} : { operator: { token: context.operatorToken } }),
    };
    // Before the commit: tokens are shown once, and a crash in between must not lose them for good.
    await writeDemo(context.dataDir, made);
    return made;
  });
}

async function prepareDevice(context: DemoContext, taxpayerId: string): Promise<void> {
  const { deviceId } = DEVICE;
  const maintenanceStartMinute = (Math.floor(wallOfInstant(ZONE, seconds(context.clock())) / 60) + 12 * 60) % (24 * 60);
  const known = await findDevice(context.pool, taxpayerId, deviceId);
  if (known === undefined) await registerDemoDevice(context, taxpayerId, maintenanceStartMinute);
  else {
    await inTransaction(context.pool, async (tx) => {
      await wakeLane(tx, { taxpayerId, deviceId });
      await lockHead(tx, taxpayerId, deviceId);
      // Read under the lock: the keeper is at work already.
      const { device } = (await findDevice(tx, taxpayerId, deviceId)) ?? known;
      await updateDeviceSettings(tx, { taxpayerId, deviceId }, { ...device, maintenanceStartMinute });
    });
  }
  await waitForDay(context, taxpayerId);
}

async function registerDemoDevice(
  context: DemoContext,
  taxpayerId: string,
  maintenanceStartMinute: number,
): Promise<void> {
  const outcome = await registerWithAuthority(context, {
    taxpayerId,
    ...DEVICE,
    keyAlgorithm: 'ECDSA-P256',
    zone: ZONE,
    maintenanceStartMinute,
    datePolicy: 'advance',
    advanceLimitSeconds: 300,
    futureLimitSeconds: 120,
    lastGlobalCounter: undefined,
    isAgain: false,
  });
  if (outcome.kind === 'registered') return;
  const reason = 'reason' in outcome ? outcome.reason : outcome.kind;
  throw new StartRefusal(
    `The demo device could not be registered: ${reason}. Remove ${context.dataDir} and start again.`,
  );
}

/** The keeper opens the day automatically; readers of the demo should find it open. */
async function waitForDay(context: DemoContext, taxpayerId: string): Promise<void> {
  const deadline = performance.now() + OPEN_PATIENCE_MS;
  while (performance.now() < deadline) {
    const stored = await findDevice(context.pool, taxpayerId, DEVICE.deviceId);
    if (stored?.head.dayState === 'Opened' || stored?.head.dayState === 'CloseFailed') return;
    await delay(50);
  }
  context.log.warn({ deviceId: DEVICE.deviceId }, 'the fiscal day of the demo is not open yet');
}

async function readDemo(dataDir: string): Promise<Demo | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Demo;
  } catch {
    return undefined;
  }
}

async function writeDemo(dataDir: string, demo: object): Promise<void> {
  const file = join(dataDir, 'demo.json');
  await makeFolder(dataDir);
  await writeFile(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
