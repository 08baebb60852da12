import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * The arrows of ARCHITECTURE.md, as a test. TypeScript 7 has no stable compiler API, so imports are read from the text:
 * they all have the form `from '…'`, kept so by the formatter.
 */
const SOURCE = import.meta.dirname;

/** Who may import whom, by area. An area not named here may not exist. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  contract: ['kernel'],
  platform: ['kernel', 'contract'],
  // The authority's protocol: pure in core, with the gateway that speaks it.
  fdms: ['kernel', 'contract', 'platform'],
  fiscal: ['kernel', 'contract', 'platform', 'fdms'],
  // Never fiscal: it is a client of the signing API over HTTP, like any other.
  billpay: ['kernel', 'contract', 'platform'],
  // Never fiscal or billpay: it reads the feed, which compose.ts hands to it.
  endpoints: ['kernel', 'contract', 'platform'],
  // Only the kernel: a seal proven by the code that made it is not proven, and it runs without a database.
  verifier: ['kernel'],
  console: ['kernel', 'contract', 'platform', 'fdms', 'fiscal', 'billpay', 'endpoints', 'verifier'],
  docs: ['kernel', 'contract', 'platform', 'fdms', 'fiscal', 'billpay', 'console'],
  // A whole installation, below its API: rows, files, keys, and the proof that they belong together.
  backup: ['kernel', 'contract', 'platform', 'fiscal', 'endpoints', 'verifier'],
  cli: ['kernel', 'contract', 'platform', 'verifier', 'backup'],
  demo: ['kernel', 'contract', 'platform', 'fdms', 'fiscal', 'billpay'],
  // Never fiscal: a rule checked by the code that wrote it is not checked. See SIMULATOR_DOOR for the protocol.
  simulator: ['kernel', 'contract', 'platform'],
};

/**
 * The folders of an area in the order in which one reads them: each imports only those before it. '' are the files at the area's
 * root, which put it together; those of the platform are its first tools. Areas without folders are not named.
 */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  contract: ['shared', 'fiscal', 'billpay', 'platform', 'console', 'endpoints', ''],
  platform: [
    '',
    'logging',
    'tracing',
    'network',
    'database',
    'embedded-postgres',
    'secrets',
    'work',
    'json',
    'http',
    'tokens',
    'events',
    'alerts',
  ],
  cli: [
    'shared',
    'derived',
    'device',
    'receipt',
    'taxpayer',
    'billpay',
    'operator',
    'installation',
    'doctor',
    'trial',
    '',
  ],
  fdms: ['core', 'core/rules', 'gateway', 'certificates', ''],
  fiscal: [
    'core',
    'signing',
    'lanes',
    'tills',
    'taxpayers',
    'sealed',
    'events',
    'devices',
    'registration',
    'printing/core',
    'printing',
    'printing/worker',
    'days',
    'alerts',
    'sealing',
    'submission',
    'evidence',
    'keeper',
    'exports',
    'receipts',
    '',
  ],
  billpay: [
    'core',
    'connectors',
    'targets',
    'invoices',
    'vendors',
    'callback',
    'billers',
    'feed',
    'payments',
    'invoicing',
    '',
  ],
  endpoints: ['core', ''],
  console: ['people/core', 'people', 'people/second-factor', 'people/openid', 'practices', 'overview', ''],
  docs: ['page', 'errors', 'guides', 'landing', 'openapi', 'reference', ''],
  simulator: [
    'core',
    'core/rules',
    'wire',
    'store',
    'certificates',
    'state',
    'operations',
    'gateway',
    'verification',
    'control',
    '',
  ],
};

/** All the simulator shares with the side that calls it: the shape of the messages, and of that only the types. */
const SIMULATOR_DOOR = join('fdms', 'index.ts');

/** The command line works on outboxes through the client that integrators use. */
const CLIENT_DOOR = join('..', 'clients', 'typescript', 'src', 'index.ts');

/** Areas without a front door: their files are tools to be picked one by one. */
const OPEN_AREAS = new Set(['kernel', 'contract', 'platform', 'demo']);

/** What a pure core may take from Node: functions of their arguments alone. */
const PURE_MODULES = new Set(['node:crypto']);
const IMPURE =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandom(Bytes|UUID|Int)\b|\bprocess\.|\bfetch\(|\bsetTimeout\(|\bperformance\./;

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

/** Of every language that is written here; what a build leaves behind is not. */
const SOURCE_FILE = /^(?!(.*\/)?(dist|node_modules|bin|obj)\/).*\.(tsx?|mjs|cs|php|py)$/;

function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => SOURCE_FILE.test(path) && /(?<!\.test)\.tsx?$/.test(path))
    .map((path) => {
      const text = readFileSync(join(folder, path), 'utf8');
      const imports = [
        ...text.matchAll(/^(?:import|export)\b[^'"]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gms),
      ];
      return { path, text, imports: imports.map((match) => match[1] ?? match[2] ?? match[3] ?? '') };
    });
}

const files = sourceFiles(SOURCE);
const isProtocolOfSimulator = (file: SourceFile, target: string) =>
  areaOf(file.path) === 'simulator' && target === SIMULATOR_DOOR;
const areaOf = (path: string) => (path.includes(sep) ? path.slice(0, path.indexOf(sep)) : '');
const folderOf = (path: string) => dirname(path).split(sep).slice(1).join('/');
const targetOf = (file: SourceFile, specifier: string, root = SOURCE) =>
  relative(root, resolve(root, dirname(file.path), specifier));
const targetsOf = (file: SourceFile) =>
  file.imports.filter((name) => name.startsWith('.')).map((name) => targetOf(file, name));
/** Without the root, where everything is put together. */
const within = files.filter((file) => areaOf(file.path) !== '');
const ROOT = join(SOURCE, '..');
const WEB = join(ROOT, 'web', 'src');

/** What is left when files (or folders) that import none of the others, or that none of the others imports, are taken away again and again. */
function circular(imports: ReadonlyMap<string, readonly string[]>): string[] {
  for (let left = [...imports.keys()]; ; ) {
    const among = new Set(left);
    const imported = new Set(left.flatMap((path) => imports.get(path) ?? []));
    const next = left.filter((path) => imported.has(path) && imports.get(path)?.some((target) => among.has(target)));
    if (next.length === left.length) return left;
    left = next;
  }
}

describe('the arrows go one way', () => {
  test('this test sees the files and their imports', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => file.imports.length > 0).length).toBeGreaterThan(40);
    expect(files.find((file) => file.path === 'compose.ts')?.imports).toContain('./fiscal/index.ts');
  });

  test('every file imports only what lies below it', () => {
    const wrong = within.flatMap((file) => {
      const area = areaOf(file.path);
      const allowed = ALLOWED[area];
      if (allowed === undefined) return `${file.path}: the area ${area} is not in ARCHITECTURE.md`;
      return targetsOf(file)
        .filter((target) => !(area === 'cli' && target === CLIENT_DOOR) && !isProtocolOfSimulator(file, target))
        .filter((target) => areaOf(target) !== area && !allowed.includes(areaOf(target)))
        .map((target) => `${file.path} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('every file imports only folders of its area that come before its own', () => {
    const wrong = within.flatMap((file) => {
      const area = areaOf(file.path);
      const place = (path: string) => (ORDER[area] ?? ['']).indexOf(folderOf(path));
      if (place(file.path) < 0) return `the folder of ${file.path} is not in the order`;
      return targetsOf(file)
        .filter((target) => areaOf(target) === area && place(target) > place(file.path))
        .map((target) => `${file.path} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  test('every file enters other areas by their front door', () => {
    const wrong = files.flatMap((file) =>
      targetsOf(file)
        .filter((target) => target !== CLIENT_DOOR && !isProtocolOfSimulator(file, target))
        .filter((target) => areaOf(target) !== areaOf(file.path) && !OPEN_AREAS.has(areaOf(target)))
        .filter((target) => target !== join(areaOf(target), 'index.ts'))
        .map((target) => `${file.path} uses the back door ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('the simulator takes nothing but types from the protocol', () => {
    const simulator = files.filter((file) => areaOf(file.path) === 'simulator');
    const statements = simulator.flatMap((file) => [
      ...file.text.matchAll(/^(?:import|export)\b[^'"]*?\bfrom '[^']*fdms\/[^']+'/gms),
    ]);
    expect(statements.length).toBeGreaterThan(5);
    for (const statement of statements) expect(statement[0]).toMatch(/^import type \{/);
  });

  test('the kernel and every core are pure', () => {
    const cores = files.filter((file) => file.path.split(sep).includes('core') || areaOf(file.path) === 'kernel');
    const wrong = cores
      .filter((file) => file.path !== join('kernel', 'ids.ts')) // new ids are random by nature
      .flatMap((file) =>
        [
          ...file.imports.filter((name) => name.startsWith('node:') && !PURE_MODULES.has(name)),
          ...targetsOf(file).filter((target) => areaOf(target) === 'platform'),
          ...(IMPURE.exec(file.text) ?? []).slice(0, 1),
        ].map((what) => `${file.path}: ${what}`),
      );
    expect(cores.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });
});

const isPlain = (path: string) =>
  !/from '(typebox|\.\.?\/(?!.*(values|device-list|kernel\/)))/.test(
    readFileSync(join(SOURCE, path), 'utf8').replaceAll(/^import type .*$/gm, ''),
  );

test('the console imports nothing of the service but the kernel, and of the contract only types and what does without its schema library', () => {
  const web = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readFileSync(join(WEB, path), 'utf8'));
  const outside = web.flatMap((text) => [...text.matchAll(/^import (type )?[^;]*?from '(?:\.\.\/)+src\/([^']+)'/gm)]);
  expect(outside.length).toBeGreaterThan(0);
  const others = outside.filter(
    ([, isType, path = '']) =>
      !path.startsWith('kernel/') && !(path.startsWith('contract/') && (isType || isPlain(path))),
  );
  expect(others.map(([line]) => line)).toEqual([]);
});

test('the folders of the console have an order: each imports only those before it', () => {
  const order = ['api', 'parts', 'shell', 'people', 'alert', 'biller', 'device', 'payment', 'receipt'].concat([
    'endpoint',
    'taxpayer',
    'vendor',
    'practice',
    'operator',
    'overview',
  ]);
  const folder = WEB;
  const backwards = order.flatMap((name, place) =>
    readdirSync(join(folder, name)).flatMap((file) =>
      [...readFileSync(join(folder, name, file), 'utf8').matchAll(/from '\.\.\/(\w+)\//g)]
        .filter(([, other]) => order.indexOf(other ?? '') > place)
        .map(([, other]) => `${name}/${file} imports ${other}`),
    ),
  );
  expect(backwards).toEqual([]);
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).toSorted()).toEqual(order.toSorted());
});

/** What all proofs stand on, and what the command line takes from the clients, lie below the folders they are in. */
const INNER = ['test/support', 'clients/typescript/src'];
const topOf = (path: string) => INNER.find((inner) => path.startsWith(`${inner}/`)) ?? path.split(sep)[0] ?? '';

test('no top folder leads back to itself', () => {
  const tops = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const imports = new Map<string, string[]>();
  for (const { name } of tops.filter((top) => !/^(\.|node_modules$|data$|dist$)/.test(top.name))) {
    for (const file of sourceFiles(join(ROOT, name)).filter(({ path }) => !path.endsWith('.proof.ts'))) {
      const path = join(name, file.path);
      const targets = file.imports.filter((specifier) => specifier.startsWith('.'));
      const others = targets.map((specifier) => topOf(relative(ROOT, resolve(ROOT, dirname(path), specifier))));
      imports.set(topOf(path), [...(imports.get(topOf(path)) ?? []), ...others.filter((top) => top !== topOf(path))]);
    }
  }
  expect(imports.get('proof')).toContain('src');
  expect(circular(imports)).toEqual([]);
});

describe.each(['src', 'web/src', 'proof', 'clients', 'deploy', 'test'])('%s can be read in one direction', (name) => {
  const root = join(ROOT, name);
  const imports = new Map(
    sourceFiles(root).map((file) => [file.path, file.imports.map((specifier) => targetOf(file, specifier, root))]),
  );

  test('no file leads back to itself', () => {
    expect(circular(imports)).toEqual([]);
  });

  test('no folder leads back to itself', () => {
    const folders = Map.groupBy(imports.keys(), dirname);
    const targets = ([folder, paths]: [string, string[]]) =>
      [folder, paths.flatMap((path) => imports.get(path) ?? []).map(dirname)] as const;
    const others = ([folder, all]: readonly [string, string[]]) =>
      [folder, all.filter((target) => target !== folder)] as const;
    expect(circular(new Map([...folders].map(targets).map(others)))).toEqual([]);
  });

  test('no folder has more than 25 files, tests beside their code not counted', () => {
    const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => SOURCE_FILE.test(path));
    const counted = name === 'test' ? paths : paths.filter((path) => !path.includes('.test.'));
    const full = [...Map.groupBy(counted, dirname)].filter(([, inside]) => inside.length > 25);
    expect(full.map(([folder]) => folder)).toEqual([]);
  });
});

describe('house rules', () => {
  test('only settings.ts, and one file of the command line, look at the process environment', () => {
    const readers = files.filter((file) => /process\.env\b/.test(file.text)).map((file) => file.path);
    expect(readers.toSorted()).toEqual([join('cli', 'main.ts'), join('platform', 'settings.ts')]);
  });

  test('no file grows past 350 lines', () => {
    const long = files.filter((file) => file.text.split('\n').length > 350).map((file) => file.path);
    expect(long).toEqual([]);
  });

  test('no file is a drawer for everything', () => {
    const drawers = files.filter((file) => /(^|\/)(utils?|helpers?|types|common)(\.ts|\/)/.test(file.path));
    expect(drawers).toEqual([]);
  });

  test('statements select in the names of the API or of the language: no row is renamed by hand', () => {
    const stores = files.filter(({ path }) => /^(fiscal|billpay|endpoints|platform)\W(?!embedded)/.test(path));
    const SNAKE = '[a-z]+(?:_[a-z]+)+';
    const IN_ROW = new RegExp(
      `query<\\{[^}]*\\b${SNAKE}\\??:|^ +(readonly )?${SNAKE}\\??: [A-Zbns]|\\brow\\??\\.${SNAKE}`,
      'm',
    );
    const renamed = stores.filter(({ text }) => IN_ROW.test(text));
    expect(renamed.map(({ path }) => path)).toEqual([]);
  });

  test('receipts are written in one place', () => {
    const writers = files.filter((file) => /insert into receipts\b/i.test(file.text)).map((file) => file.path);
    expect(writers).toEqual([join('fiscal', 'sealing', 'store.ts')]);
  });
});
