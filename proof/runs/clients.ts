import { join } from 'node:path';
import { LANGUAGES, languageAt, languageNamed } from '../../clients/languages.ts';
import { runFaults } from '../clients/faults/run.ts';
import { runConformance } from '../clients/run.ts';
import { aRun, type Outcome, SEED, type Stage } from '../common/run.ts';
import { type Change, changedCopy } from '../world/changed-copy.ts';

const NAMES = LANGUAGES.map(({ name }) => name);
const SALES_PER_TILL = 100;
/** Of what is queued the last sale is sent first. */
const LAST_FIRST: Change = {
  file: 'clients/typescript/src/outbox/sales.ts',
  right: "state = 'Queued' order by place limit 1",
  wrong: "state = 'Queued' order by place desc limit 1",
};

export default aRun({
  options: {
    seed: SEED,
    language: { someOf: NAMES, help: 'only this one; may be given several times' },
    sales: { number: 2000, least: 1, help: `of each language, spread over tills of ${SALES_PER_TILL}` },
    kills: { number: 200, help: 'of each language' },
    faults: {
      flag: true,
      help: 'what disks, users, clocks and operators do to tills, instead; every write of a sale fails once',
    },
  },
  run: (stage, { language, sales, kills, faults }) => {
    const languages = LANGUAGES.filter(({ name }) => language.includes(name));
    return faults ? proveFaults(stage, languages) : proveSales(stage, languages, sales, kills);
  },
  controls: [
    {
      name: 'typescript-last-first',
      run: async (stage) => {
        const paths = ['clients/typescript', 'package.json'];
        const root = await changedCopy(join(stage.folder, 'copy'), [LAST_FIRST], paths);
        const { lines } = await proveSales(stage, [languageAt(languageNamed('typescript'), root)], 60, 6);
        return lines.filter((line) => line.includes('out of order: '));
      },
    },
  ],
});

async function proveSales(stage: Stage, languages: typeof LANGUAGES, sales: number, kills: number): Promise<Outcome> {
  // A pair shares a device, and one more till of each language shares a file with the others.
  const tills = Math.max(3, Math.ceil(sales / SALES_PER_TILL));
  const report = await runConformance({
    ...stage,
    languages,
    tills,
    salesPerTill: Math.ceil(sales / tills),
    killsPerTill: Math.ceil(kills / tills),
    drainMs: 60_000,
    offline: { sales: 500, kills: 20 },
    tillsAtOnce: 8,
  });
  const lines = [...report.faults].flatMap(([name, faults]) => {
    const [sold, killed] = [report.sales.get(name), report.kills.get(name)];
    const what = sold === undefined ? 'files shared by all languages' : `${sold} sales, ${killed} kills`;
    const found = faults.length === 0 ? 'each sealed once, in order' : `${faults.length} faults`;
    return [`- ${name}: ${what}: ${found}`, ...faults.map((fault) => `  - ${fault}`)];
  });
  const requests = [...report.requests].map(([kind, count]) => `${count} ${kind}`).join(', ');
  return {
    isWell: [...report.faults.values()].every(({ length }) => length === 0),
    result: 'each sale sealed once, in order',
    lines: [`Requests: ${requests}.`, ...report.skipped.map((one) => `Skipped: ${one}.`), '', ...lines],
  };
}

async function proveFaults({ folder, tell }: Stage, languages: typeof LANGUAGES): Promise<Outcome> {
  const proofs = await runFaults({ folder, languages, diskFaults: Number.POSITIVE_INFINITY, tell });
  const lines = [...proofs].flatMap(([name, all]) =>
    all.flatMap((proof) => [
      `- ${name}: ${proof.name}: ${proof.what}`,
      ...proof.faults.map((fault) => `  - FAULT: ${fault}`),
    ]),
  );
  const isWell = [...proofs.values()].flat().every(({ faults }) => faults.length === 0);
  return { isWell, result: 'each sale sealed once, in order', lines };
}
