import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import type { Authority } from '../authority/index.ts';
import { addTaxpayer, issueToken, openDay, registerDevice, restartDemoDay } from '../fiscal/index.ts';
import { newId } from '../kernel/ids.ts';
import { wallOfInstant } from '../kernel/zone.ts';
import { type Clock, seconds } from '../platform/clock.ts';
import { inTransaction } from '../platform/database.ts';
import type { MasterKeys } from '../platform/master-keys.ts';

/** What a first start leaves in DATA_DIR/demo.json, so that people and programs can call the demo at once. */
export interface Demo {
  readonly baseUrl: string;
  readonly docsUrl: string;
  readonly taxpayer: { readonly id: string; readonly token: string; readonly cashierToken: string };
  readonly deviceId: number;
  readonly taxPercents: readonly (number | null)[];
  readonly operator?: { readonly token: string };
}

export interface DemoContext {
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly authority: Authority;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly operatorToken: string | undefined;
}

const ZONE = 'Africa/Harare';
const DEVICE_ID = 1001;

/**
 * Makes the demo on the first start and keeps it callable on later ones: its day is open and its maintenance window is
 * twelve hours away. Undefined when this installation has taxpayers that are no demo of ours.
 */
export async function prepareDemo(context: DemoContext): Promise<Demo | undefined> {
  const known = await readDemo(context.dataDir);
  const { rows } = await context.pool.query<{ taxpayer_id: string }>('select taxpayer_id from taxpayers');
  if (rows.length === 0) return makeDemo(context);
  if (known === undefined || !rows.some((row) => row.taxpayer_id === known.taxpayer.id)) return undefined;
  await freshDay(context, known.taxpayer.id);
  const demo = { ...known, ...addresses(context) };
  await writeDemo(context.dataDir, demo);
  return demo;
}

async function makeDemo(context: DemoContext): Promise<Demo> {
  const taxpayerId = newId();
  const demo = await inTransaction(context.pool, async (tx): Promise<Demo> => {
    await addTaxpayer(tx, context.masterKeys, {
      taxpayerId,
      name: 'Msasa Corner Shop (Pvt) Ltd',
      tin: '2000123456',
      vatNumber: '220123456',
    });
    await registerDevice(tx, context.masterKeys, {
      taxpayerId,
      deviceId: DEVICE_ID,
      keyAlgorithm: 'ECDSA-P256',
      zone: ZONE,
      maintenanceStartMinute: twelveHoursAway(context.clock),
      datePolicy: 'advance',
      advanceLimitSeconds: 300,
      futureLimitSeconds: 120,
      serialNumber: 'TILLSEAL-DEMO-1',
      qrUrl: 'https://verify.example.com',
      dayMaximumHours: 24,
      taxes: [
        { taxId: 1, taxPercent: null, taxName: 'Exempt', validFrom: '2020-01-01', validTill: null },
        { taxId: 2, taxPercent: '0', taxName: 'Zero rated', validFrom: '2020-01-01', validTill: null },
        { taxId: 3, taxPercent: '15', taxName: 'Standard rated', validFrom: '2020-01-01', validTill: '2025-12-31' },
        { taxId: 517, taxPercent: '15.5', taxName: 'Standard rated', validFrom: '2026-01-01', validTill: null },
      ],
    });
    const till = await issueToken(tx, { taxpayerId, name: 'Demo till', scopes: ['sign', 'read'] });
    const cashier = await issueToken(tx, {
      taxpayerId,
      name: 'Demo till of Rudo',
      scopes: ['sign', 'read'],
      defaultCashier: 'Rudo',
    });
    const made: Demo = {
      ...addresses(context),
      taxpayer: { id: taxpayerId, token: till.token, cashierToken: cashier.token },
      deviceId: DEVICE_ID,
      taxPercents: [15.5, 0, null],
      ...(context.operatorToken === undefined ? {} : { operator: { token: context.operatorToken } }),
    };
    // Before the commit: tokens are shown once, and a crash in between must not lose them for good.
    await writeDemo(context.dataDir, made);
    return made;
  });
  await openDay(context.pool, context.authority, taxpayerId, DEVICE_ID, context.clock());
  return demo;
}

function addresses({ baseUrl }: DemoContext) {
  return { baseUrl, docsUrl: `${baseUrl}/docs` };
}

/** Nobody closes days yet, so a demo started again on another day gets a new one. */
async function freshDay(context: DemoContext, taxpayerId: string): Promise<void> {
  await restartDemoDay(context.pool, {
    taxpayerId,
    deviceId: DEVICE_ID,
    maintenanceStartMinute: twelveHoursAway(context.clock),
    now: context.clock(),
  });
  await openDay(context.pool, context.authority, taxpayerId, DEVICE_ID, context.clock());
}

function twelveHoursAway(clock: Clock): number {
  return (Math.floor(wallOfInstant(ZONE, seconds(clock())) / 60) + 12 * 60) % (24 * 60);
}

export async function readDemo(dataDir: string): Promise<Demo | undefined> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Demo;
  } catch {
    return undefined;
  }
}

async function writeDemo(dataDir: string, demo: Demo): Promise<void> {
  const file = join(dataDir, 'demo.json');
  await mkdir(dataDir, { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
