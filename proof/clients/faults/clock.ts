/** A clock that is wrong, and one that jumps back and forth while the till sells. */
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FaultyTill, outcomeFaults, type Proof, type Scene } from './till.ts';

const MINUTES_10 = 600;
const DAY = 86_400;
const JUMPING_SALES = 20;

/** One after the other on one device, so that those with a slow clock meet dates later than their own. */
export async function misdate(scene: Scene): Promise<Proof & { readonly sealed: readonly string[] }> {
  const faults: string[] = [];
  const sealed: string[] = [];
  for (const seconds of [MINUTES_10, DAY, -MINUTES_10, -DAY]) {
    const till = new FaultyTill(scene, `clock${seconds}`);
    const { lines } = await till.sell(3, { more: ['--ahead-seconds', String(seconds)] });
    faults.push(...outcomeFaults(till.prefix, lines, 'Signed', 'Signed', 'Signed'));
    const wrong = lines.filter(({ ClockAheadSeconds: told }) => Math.abs((told ?? 0) - Math.max(0, seconds)) > 60);
    for (const { Reference, ClockAheadSeconds } of wrong) faults.push(`${Reference}: ahead by ${ClockAheadSeconds}`);
    faults.push(...(await till.settle()));
    sealed.push(...till.references(1, 3));
  }
  return { name: 'a wrong clock', what: 'ten minutes and a day ahead and behind', faults, sealed };
}

export async function jumpClock(scene: Scene): Promise<Proof & { readonly sealed: readonly string[] }> {
  const name = 'a clock that jumps';
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');
  if (library === undefined) return { name, what: 'skipped: libfaketime is not installed', faults: [], sealed: [] };
  const till = new FaultyTill(scene, 'jump');
  const file = `${till.outbox}.clock`;
  const wrap = ['env', `LD_PRELOAD=${library}`, `FAKETIME_TIMESTAMP_FILE=${file}`, 'FAKETIME_NO_CACHE=1'].concat([
    'FAKETIME_DONT_FAKE_MONOTONIC=1',
    `PYTHONPATH=${scene.folder}`,
  ]);
  // With libfaketime 0.9.10 the call that Python uses to sleep since 3.11 fails; `select` works.
  const sleep = 'import select, time\ntime.sleep = lambda seconds: select.select([], [], [], seconds)\n';
  writeFileSync(join(scene.folder, 'sitecustomize.py'), sleep);
  writeFileSync(file, '+0\n');
  let jumps = 0;
  const selling = till.sell(JUMPING_SALES, { wrap, more: ['--every-ms', '50'] }).finally(() => {
    jumps = -jumps;
  });
  const offsets = ['+1d', '-1d', '+3h', '-10m', '+0', '+400', '-400'];
  while (jumps >= 0) {
    writeFileSync(file, `${offsets[jumps % offsets.length]}\n`);
    jumps += 1;
    await delay(120);
  }
  const { code, errors } = await selling;
  const faults = code === 0 ? [] : [`${till.prefix} ended with ${code}: ${errors}`];
  faults.push(...(await till.settle()));
  const what = `${JUMPING_SALES} sales while it jumped ${-jumps} times, by up to a day`;
  return { name, what, faults, sealed: till.references(1, JUMPING_SALES) };
}
