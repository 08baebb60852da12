import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** deploy/compose.yaml as docker-compose understands it, without an engine that would run it. */
const isInstalled = spawnSync('docker-compose', ['version']).status === 0;
if (!isInstalled) process.stderr.write('docker-compose is not installed: deploy/compose.yaml is not tried\n');
const folder = mkdtempSync(join(tmpdir(), 'tillseal-compose-'));
const KEY = 'b2YgYSB0ZXN0LCBhbmQgb2Ygbm8gdXNlIGVsc2V3aGVyZQ==';

beforeAll(() => {
  const shipped = readFileSync(resolve(import.meta.dirname, '../../deploy/compose.yaml'), 'utf8');
  // Debian's does not know the project's name yet, which newer ones want.
  writeFileSync(join(folder, 'compose.yaml'), shipped.replace(/^name: .*\n/m, ''));
  writeFileSync(join(folder, 'master.key'), KEY);
});
afterAll(() => rmSync(folder, { recursive: true }));

function config(settings: string): string {
  writeFileSync(join(folder, '.env'), settings);
  const environment = { PATH: process.env['PATH'] };
  return execFileSync('docker-compose', ['-f', 'compose.yaml', 'config'], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

test.skipIf(!isInstalled)('nothing starts without an authority that the operator has named', () => {
  expect(() => config('')).toThrow('set it in deploy/.env, to https://authority:4443 for the simulator');
  expect(() => config('AUTHORITY_URL=\n')).toThrow(
    'set it in deploy/.env, to https://authority:4443 for the simulator',
  );
});

test.skipIf(!isInstalled)('both instances get the master key as a file, and no variable holds it', () => {
  const text = config(`AUTHORITY_URL=https://fdms.example.com\nMASTER_KEY=${KEY}\n`);
  expect(text.match(/AUTHORITY_URL: https:\/\/fdms\.example\.com$/gm)).toHaveLength(2);
  expect(text.match(/MASTER_KEY_FILE: \/run\/secrets\/master_key$/gm)).toHaveLength(2);
  expect(text.match(/^ +secrets:\n +- source: master_key$/gm)).toHaveLength(2);
  expect(text).toContain(join(folder, 'master.key'));
  expect(text).not.toMatch(/MASTER_KEY:/);
  expect(text).not.toContain(KEY);
});

test.skipIf(!isInstalled)('every image is named by its exact version', () => {
  const images = [...config('AUTHORITY_URL=https://fdms.example.com\n').matchAll(/image: (.+)$/gm)].map(
    ([, image]) => image,
  );
  expect(images.length).toBeGreaterThan(4);
  for (const image of images) expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?$/);
});
