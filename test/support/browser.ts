import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { carriedProgramHead, unpackOnce } from './carried-chromium.ts';

export type BrowserStart =
  | { readonly kind: 'started'; readonly browser: Browser }
  | { readonly kind: 'missing'; readonly reason: string };

/** As programs are called where Chromium is installed. */
const INSTALLED = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * A real Chromium for tests: the one that CHROMIUM_PATH names, else the one that a package carries, which is the same on every
 * machine it is built for, else an installed one.
 */
export async function startBrowser(named: string | undefined = process.env['CHROMIUM_PATH']): Promise<BrowserStart> {
  try {
    if (named) return { kind: 'started', browser: await launchNamed(named) };
    if (isForThisMachine(await carriedProgramHead())) return { kind: 'started', browser: await launchCarried() };
    const installed = findInstalled();
    if (installed !== undefined) return { kind: 'started', browser: await launch(installed, {}) };
    return {
      kind: 'missing',
      reason: `the carried browser is not built for ${process.arch}: install chromium, or name one with CHROMIUM_PATH`,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : String(error);
    return { kind: 'missing', reason: `no browser runs on this machine: ${reason}` };
  }
}

const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
/** `e_machine`, which every ELF program has at byte 18. */
const MACHINES: Readonly<Record<string, number>> = { x64: 62, arm64: 183 };

/**
 * Looked at before it is run: a program for another machine is not refused but given to a shell, which takes its bytes for a
 * script. What is no ELF program, such as the script that Debian installs, says nothing of machines.
 */
export function isForThisMachine(head: Buffer): boolean {
  if (!head.subarray(0, ELF.length).equals(ELF)) return true;
  return head.readUInt16LE(18) === MACHINES[process.arch];
}

async function launchNamed(file: string): Promise<Browser> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(64), 0, 64);
    if (!isForThisMachine(buffer)) throw new Error(`${file} is not built for ${process.arch}`);
  } finally {
    await handle.close();
  }
  return launch(file, {});
}

async function launchCarried(): Promise<Browser> {
  const folder = await unpackOnce();
  const fonts = { FONTCONFIG_FILE: join(folder, 'fonts.conf') };
  // With the machine's own libraries where it has them; the package carries those that are most often missing.
  return launch(join(folder, 'chromium'), fonts).catch(() =>
    launch(join(folder, 'chromium'), { ...fonts, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') }),
  );
}

function findInstalled(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return INSTALLED.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
}

/** Beside a load on all cores a document is hardly drawn in half a minute, Playwright's own limit; a test has three. */
const PATIENCE_MS = 150_000;

async function launch(executablePath: string, environment: Record<string, string>): Promise<Browser> {
  // Its own list of arguments would switch web security off.
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox'],
    env: { ...process.env, ...environment },
  });
  return browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
}

/** What a page did that it should not: requests to elsewhere, refused ones, and whatever it complained of. */
export interface PageFaults {
  readonly elsewhere: string[];
  readonly failed: string[];
  readonly complaints: string[];
}

export function watchPage(page: Page, origin: string): PageFaults {
  const faults: PageFaults = { elsewhere: [], failed: [], complaints: [] };
  page.on('request', (request) => {
    const url = new URL(request.url());
    const isInside = url.origin === origin || url.protocol === 'data:' || url.protocol === 'blob:';
    if (!isInside) faults.elsewhere.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) faults.failed.push(`${response.status()} ${response.url()}`);
  });
  page.on('requestfailed', (request) => faults.failed.push(`${request.url()} ${request.failure()?.errorText}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.complaints.push(message.text());
  });
  page.on('pageerror', (error) => faults.complaints.push(error.message));
  return faults;
}
