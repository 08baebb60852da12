import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { World } from '../world/world.ts';

function children(): string[] {
  const isOwn = (id: string) => {
    try {
      return new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(readFileSync(`/proc/${id}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOwn(name));
}

test('a run that fails while it starts leaves nothing mounted, no process and no folder of the authority', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tillseal-chaos-'));
  // Others make such folders at the same time.
  vi.stubEnv('TMPDIR', folder);
  const authorities = () => readdirSync(folder).filter((name) => name.startsWith('tillseal-authority-'));
  const before = [children(), authorities()];
  try {
    // Without an instance nobody makes the operator's token, when database, authority and receivers are already up.
    const starting = World.start({ folder, instances: 0, devices: 1, diskMegabytes: 768, seed: 1 });
    await expect(starting).rejects.toThrow('operator-token');
    expect([children(), authorities()]).toEqual(before);
    expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(folder);
  } finally {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  }
});
