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

/** The page for language models (llmstxt.org): what this is, and where to read on, as Markdown. */
export function llmsText(publicUrl: string): string {
  const link = (path: string, title: string, about: string) => `- [${title}](${publicUrl}${path}): ${about}`;
  const chapters = CHAPTERS.map(({ title, guides }) =>
    [`## ${title}`, '', ...guides.map((guide) => link(`/docs/${guide.slug}.md`, titleOf(guide), guide.about))].join(
      '\n',
    ),
  );
  return `# Tillseal

> Signs fiscal receipts for Zimbabwe's tax authority (ZIMRA, FDMS 7.2) and takes bill payments, over HTTP with JSON. A receipt is checked against every rule, sealed into the hash chain of its fiscal device and answered with signature, counters and QR code.

What to know before writing code against it:

- \`Reference\` is unique per taxpayer. Store the request before sending it; after a timeout, 429 or 5xx send exactly the same request again. Never build it anew with another date or reference.
- Amounts are exact decimals: send numbers with at most two decimals, or text of digits (\`"12.50"\`). Never compute them with binary floats.
- Tax is rounded once per percentage, half to even. \`POST /api/receipt/calculate\` computes it; \`POST /api/receipt/check\` checks a receipt without signing it.
- \`TaxPercent\` must be present on every line; null means exempt, which is not 0.
- Errors are problem details with a stable \`Code\` and an \`errors\` list that names every wrong field. \`Then\` says what to do: \`Again\`, send the same later; \`SetAside\`, a person must change it; \`Stop\`, nothing of this token will pass. Every code is explained at ${publicUrl}/docs/errors.

## Reference

${[
  link('/openapi.json', 'OpenAPI 3.1', 'every operation with schemas and examples'),
  link('/docs/postman.json', 'Postman collection', 'the same operations, ready to be sent'),
  link('/docs/errors', 'Errors', 'every code, its cause and its fix'),
].join('\n')}

${chapters.join('\n\n')}
`;
}
