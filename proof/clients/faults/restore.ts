/** The service is restored from a backup that is older than the last sales. */
import { join } from 'node:path';
import { tillseal } from '../../../test/support/command-line.ts';
import { until } from '../../../test/support/process.ts';
import { saleProblems } from '../../checker/check-sales.ts';
import { openWorld } from '../tills/world.ts';
import { FaultyTill, outcomeFaults, type Proof, type Scene } from './till.ts';

/** Ends the world of the scenes. Returns proofs by language. */
export async function restoreService(folder: string, scenes: readonly Scene[]): Promise<Map<string, Proof>> {
  const tills = scenes.map((scene) => ({ scene, till: new FaultyTill(scene, 'restore'), faults: [] as string[] }));
  const sellAll = async (sales: number, expected: Parameters<typeof outcomeFaults>[2], url?: string) => {
    for (const { till, faults } of tills) {
      const { lines } = await till.sell(sales, url === undefined ? {} : { url, deadlineMs: 0 });
      faults.push(...outcomeFaults(till.prefix, lines.slice(-1), expected));
    }
  };
  await sellAll(3, 'Signed');
  const [data, restored, file] = [join(folder, 'data'), join(folder, 'restored'), join(folder, 'backup.tar.gz')];
  await command('backup', file, '--data', data);
  await sellAll(5, 'Signed');
  await scenes[0]?.world.close();
  await sellAll(7, 'Queued', 'http://127.0.0.1:1');
  await command('restore', file, '--data', restored, '--master-key-file', join(data, 'master.key'));
  const world = await openWorld(restored, 0);
  try {
    const proofs = new Map<string, Proof>();
    for (const { scene, till, faults } of tills) {
      const again = { ...scene, world };
      // The device is on hold until the authority has said which receipt it has last; a new process tries immediately.
      const drain = () => new FaultyTill(again, 'restore').drain({ more: ['--within-ms', '0'] });
      await until(async () => (await drain()).Status.Queued === 0, `${till.prefix} is drained`);
      // Customers have receipts that the backup lacks: the till still knows their numbers.
      const sold = [...till.references(1, 3), ...till.references(6, 7)];
      faults.push(...saleProblems(await world.chain(again.deviceId), [sold]));
      const { lines } = await till.run('find', ['--reference', till.references(4, 4)[0] ?? '']);
      if (!/"State":"Signed".*"Number":\d/.test(lines[0] ?? ''))
        faults.push(`${till.prefix}: the fourth is ${lines[0]}`);
      const what = '2 sales of after the backup known to the till, 2 queued ones sealed once';
      proofs.set(scene.language, { name: 'a restored service', what, faults });
    }
    return proofs;
  } finally {
    await world.close();
  }
}

async function command(...words: string[]): Promise<void> {
  const { code, stderr } = await tillseal(words);
  if (code !== 0) throw new Error(`tillseal ${words.join(' ')} ended with ${code}: ${stderr}`);
}
