import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** A page of the repository that is served below /docs, as a page and as the Markdown it is made of. */
export interface Guide {
  /** Its address below /docs. */
  readonly slug: string;
  /** Its file in the repository. */
  readonly file: string;
  /** What one finds there, in one line. */
  readonly about: string;
}

interface Chapter {
  readonly title: string;
  readonly guides: readonly Guide[];
}

const ROOT = join(import.meta.dirname, '../../..');

const guide = (name: string, about: string): Guide => ({ slug: name, file: `docs/${name}.md`, about });
const operations = (name: string, about: string): Guide => guide(`operations/${name}`, about);
const ALL: readonly Chapter[] = [
  {
    title: 'Integrating',
    guides: [
      guide(
        'guide-zero-to-signed-receipt',
        'The first signed receipt, errors, timeouts and credit notes, step by step',
      ),
      guide('signing', 'Every rule of the signing API: fields, dates, tax sums, idempotency, the fiscal day'),
      guide('when-tillseal-is-away', 'What a till does without a connection, and which date its receipts get'),
      {
        slug: 'clients',
        file: 'clients/README.md',
        about: 'The clients for Node, PHP, Python and C#: packages and use',
      },
      guide('outbox', "The file of the clients' outbox, and what is done with it"),
      guide('coming-from-the-same-api', 'What to change when you come from a service with the same API'),
      guide(
        'webhooks',
        'Events sent to an endpoint of yours: a receiver in four languages, what your answer means, replay, secrets',
      ),
      guide('bill-payments', 'Paying bills for billers, callbacks, automatic invoices'),
      guide('printing', 'Receipts on paper: text, PDF, HTML, images, bytes for a printer'),
      guide('simulator', 'The built-in authority, and how to make it fail'),
    ],
  },
  {
    title: 'Running it',
    guides: [
      guide('guide-for-shop-owners', 'The console for whoever owns a shop: every day, every month, people, a new till'),
      operations('running', 'Settings, keys, several instances'),
      operations('authority-trial', "What was tried at the authority's own servers, and how to try it there"),
      operations('backup', 'Backup and restore'),
      operations('security', 'What is protected, and how'),
      operations('alerts', 'What needs a person, and what to do'),
      operations('endpoints', 'Programs and people that are told of events, and what to do when that fails'),
      operations('outages', 'When a device cannot seal, and the report the law wants'),
      operations('metrics', 'What can be measured'),
      operations('traces', 'Where the time of a request went, with OpenTelemetry'),
      operations('sizing', 'How large a machine has to be'),
      operations('replication', 'A second PostgreSQL'),
      guide('command-line', 'The command line tillseal'),
      guide('export-format', 'The history of a device as a file'),
      guide('performance', 'How fast it is, and how that was measured'),
    ],
  },
  {
    title: 'About',
    guides: [
      { slug: 'changelog', file: 'CHANGELOG.md', about: 'What changed from version to version' },
      { slug: 'security-policy', file: 'SECURITY.md', about: 'What is supported, and how to report a weakness' },
      { slug: 'licence', file: 'LICENSE', about: 'Apache 2.0' },
    ],
  },
];

const NO_GUIDES = new Set(['docs/operations/README.md']);

/** A new page is served without being listed above; it introduces itself with its first words. */
function unlisted(): Guide[] {
  const listed = new Set(ALL.flatMap(({ guides }) => guides.map(({ file }) => file)));
  const files = ['docs', 'docs/operations'].flatMap((folder) =>
    existsSync(join(ROOT, folder)) ? readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`) : [],
  );
  return files
    .filter((file) => file.endsWith('.md') && !listed.has(file) && !NO_GUIDES.has(file))
    .map((file) => {
      const [about = ''] = /^[A-Z][^.:|]+/m.exec(readFileSync(join(ROOT, file), 'utf8')) ?? [];
      return guide(file.slice('docs/'.length, -'.md'.length), about.replaceAll('\n', ' '));
    });
}

/** Those whose files are there: a package may leave some out. */
export const CHAPTERS: readonly Chapter[] = [...ALL, { title: 'More', guides: unlisted() }]
  .map(({ title, guides }) => ({ title, guides: guides.filter(({ file }) => existsSync(join(ROOT, file))) }))
  .filter(({ guides }) => guides.length > 0);

export const GUIDES: readonly Guide[] = CHAPTERS.flatMap(({ guides }) => guides);

export function readGuide({ file }: Guide): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

export function titleOf(guideOf: Guide): string {
  return (
    /^# (.+)$/m.exec(readGuide(guideOf))?.[1]?.replaceAll('`', '') ??
    (guideOf.file === 'LICENSE' ? 'Licence' : guideOf.slug)
  );
}

/** Where a link of a file of the repository leads here, as seen from the page of the guide. */
export function linkFrom({ slug, file }: Guide, href: string): string | undefined {
  if (/^https?:\/\//.test(href) || href.startsWith('#')) return href;
  if (href.startsWith('/')) return posix.relative(posix.dirname(`/docs/${slug}`), href);
  const [path = '', hash] = href.split('#');
  const target = posix.join(posix.dirname(file), path).replace(/\/$/, '');
  const address =
    target === 'docs/errors.md'
      ? 'errors'
      : GUIDES.find(({ file: one }) => one === target || one === `${target}/README.md`)?.slug;
  if (address === undefined) return undefined;
  const relative = posix.relative(posix.dirname(`/${slug}`), `/${address}`);
  return hash === undefined ? relative : `${relative}#${hash}`;
}
