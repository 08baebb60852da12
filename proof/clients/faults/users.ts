/** Two users of one file, and a user who may not write. */
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { FaultyTill, outcomeFaults, type Proof, type Scene } from './till.ts';

const NOBODY = 65_534;
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', 'env'].concat([
  'PATH=/usr/local/bin:/usr/bin:/bin',
  'HOME=/nonexistent',
]);

export async function changeUsers(scene: Scene): Promise<Proof & { readonly sealed: readonly string[] }> {
  const name = 'another user, a read-only folder';
  const folder = `${scene.folder}/${scene.language}-nobody`;
  mkdirSync(folder);
  if (process.getuid?.() !== 0) return { name, what: 'skipped: only root can try it', faults: [], sealed: [] };
  chownSync(folder, NOBODY, NOBODY);
  for (const above of [scene.folder, dirname(scene.folder)]) chmodSync(above, 0o755);
  const till = new FaultyTill(scene, 'users', folder);
  // 2: the program runs, and does not know the command.
  if ((await till.run('none', [], AS_NOBODY)).code !== 2)
    return { name, what: 'skipped: another user cannot run this till', faults: [], sealed: [] };
  const offline = { url: 'http://127.0.0.1:1', deadlineMs: 0 };
  const faults = outcomeFaults(
    till.prefix,
    (await till.sell(2, { wrap: AS_NOBODY, ...offline })).lines,
    'Queued',
    'Queued',
  );
  faults.push(...(await till.settle()));
  const sold = await till.sell(3, { wrap: AS_NOBODY });
  faults.push(...outcomeFaults(till.prefix, sold.lines, 'Signed', 'Signed'));

  for (const file of [till.outbox, `${till.outbox}-journal`]) chmodSync(file, 0o444);
  const refused = await till.sell(4, { wrap: AS_NOBODY });
  faults.push(...outcomeFaults(till.prefix, refused.lines, 'Signed', 'Failed'));
  if (refused.code !== 1) faults.push(`${till.prefix}: a read-only file ended with ${refused.code}: ${refused.errors}`);
  const [fourth = ''] = till.references(4, 4);
  if (till.inFile().includes(fourth) || (await scene.world.isSealed(fourth))) faults.push(`${fourth} was not refused`);
  for (const file of [till.outbox, `${till.outbox}-journal`]) chmodSync(file, 0o600);
  faults.push(...outcomeFaults(till.prefix, (await till.sell(5, { wrap: AS_NOBODY })).lines, 'Signed', 'Signed'));

  chmodSync(folder, 0o555);
  const late = new FaultyTill(scene, 'late-user', folder);
  const unmade = await late.sell(1, { wrap: AS_NOBODY });
  if (unmade.code !== 1) faults.push(`${late.prefix}: a read-only folder ended with ${unmade.code}: ${unmade.errors}`);
  return { name, what: 'root drains what nobody sold, nobody sells on', faults, sealed: till.references(1, 5) };
}
