/** `npm run clients`: 2,000 sales and 200 kills of each language, or as many as the options say. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LANGUAGES, type Language } from '../../clients/languages.ts';
import { numberOption, refuseOptions, scriptOptions } from '../../src/platform/script-options.ts';
import { runFaults } from './faults/run.ts';
import { runConformance } from './run.ts';

const USAGE = `Usage: npm run clients -- [options]

  --language NAME   only this one; may be given several times (${LANGUAGES.map(({ name }) => name).join(', ')})
  --sales N         of each language (2000), spread over tills of 100
  --kills N         of each language (200)
  --seed N          repeats the plan of an earlier run
  --faults          what disks, users, clocks and operators do to tills, instead; every write of a sale fails once
  --keep            keeps files and database, and says where
`;
const SALES_PER_TILL = 100;

async function main(): Promise<number> {
  const values = scriptOptions(USAGE, {
    language: { type: 'string', multiple: true, default: LANGUAGES.map(({ name }) => name) },
    sales: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    faults: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  });
  const languages = LANGUAGES.filter(({ name }) => values.language.includes(name));
  const unknown = values.language.filter((name) => !LANGUAGES.some((language) => language.name === name));
  if (unknown.length > 0) refuseOptions(USAGE, `there is no language ${unknown.join(', ')}`);
  const sales = numberOption(USAGE, 'sales', values.sales, 1);
  const kills = numberOption(USAGE, 'kills', values.kills);
  const seed = numberOption(USAGE, 'seed', values.seed);
  const folder = await mkdtemp(join(tmpdir(), 'tillseal-clients-'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const startedAt = Date.now();
  const tell = (line: string) => {
    process.stdout.write(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}\n`);
  };
  // A pair shares a device, and one more till of each language shares a file with the others.
  const tills = Math.max(3, Math.ceil(sales / SALES_PER_TILL));
  try {
    if (values.faults) return await proveFaults(folder, languages, tell);
    tell(`${sales} sales and ${kills} kills of each language, seed ${seed}`);
    const report = await runConformance({
      folder,
      languages,
      seed,
      tills,
      salesPerTill: Math.ceil(sales / tills),
      killsPerTill: Math.ceil(kills / tills),
      drainMs: 60_000,
      offline: { sales: 500, kills: 20 },
      tillsAtOnce: 8,
      tell,
    });
    const requests = [...report.requests].map(([kind, count]) => `${count} ${kind}`).join(', ');
    process.stdout.write(`\nRequests: ${requests}\n`);
    if (report.skipped.length > 0) process.stdout.write(`Skipped: ${report.skipped.join('; ')}\n`);
    for (const [name, faults] of report.faults) {
      const [sold, killed] = [report.sales.get(name), report.kills.get(name)];
      const what = sold === undefined ? 'files shared by all languages' : `${sold} sales, ${killed} kills`;
      process.stdout.write(
        `${name}: ${what}: ${faults.length === 0 ? 'each sealed once, in order' : `${faults.length} faults`}\n`,
      );
      for (const fault of faults) process.stdout.write(`  ${fault}\n`);
    }
    return [...report.faults.values()].every(({ length }) => length === 0) ? 0 : 1;
  } catch (error) {
    // Now, because cleaning up below may fail as well, and then only that would be shown.
    tell(`the suite itself failed: ${error instanceof Error ? error.stack : String(error)}`);
    return 1;
  } finally {
    if (values.keep) tell(`kept in ${folder}`);
    else await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

async function proveFaults(folder: string, languages: readonly Language[], tell: (line: string) => void) {
  const proofs = await runFaults({ folder, languages, diskFaults: Number.POSITIVE_INFINITY, tell });
  const faults = [...proofs].flatMap(([name, all]) =>
    all.flatMap((proof) => proof.faults.map((fault) => `${name}: ${proof.name}: ${fault}`)),
  );
  process.stdout.write(`\n${faults.length === 0 ? 'Each sale sealed once, in order.' : faults.join('\n')}\n`);
  return faults.length === 0 ? 0 : 1;
}

process.exitCode = await main();
