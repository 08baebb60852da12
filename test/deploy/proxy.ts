import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const DEPLOY = resolve(import.meta.dirname, '../../deploy');
const FOLDERS = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin'];

/** Where a proxy is told to be instead of in production. */
export interface Place {
  readonly folder: string;
  readonly port: number;
  readonly plainPort: number;
  /** Of the two instances. */
  readonly instances: readonly [number, number];
}

export interface ProxyKind {
  readonly name: string;
  readonly file: string;
  /** Whether it sends a receipt again that the killed instance had already read. */
  readonly sendsAgain: boolean;
  /** The file as it is shipped, with ports and certificate of the test, and what stands around it on a server. */
  readonly adapt: (text: string, place: Place) => string;
  readonly words: (file: string, folder: string) => readonly string[];
}

const replaced = (text: string, changes: readonly (readonly [string, string])[]) =>
  changes.reduce((changed, [from, to]) => {
    const next = changed.replaceAll(from, to);
    if (next === changed) throw new Error(`the shipped file does not say ${from} any more`);
    return next;
  }, text);

const instancesOf = ({ instances: [one, two] }: Place) =>
  [
    ['127.0.0.1:3000', `127.0.0.1:${one}`],
    ['127.0.0.1:3001', `127.0.0.1:${two}`],
  ] as const;

export const PROXIES: readonly ProxyKind[] = [
  {
    name: 'nginx',
    file: 'nginx.conf',
    sendsAgain: true,
    adapt: (text, place) => `
      daemon off; worker_processes 1; pid ${place.folder}/nginx.pid; error_log stderr;
      events { worker_connections 1024; }
      http {
        access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${place.folder}/${name};`).join('\n')}
        ${replaced(text, [
          ...instancesOf(place),
          ['listen 80;', `listen 127.0.0.1:${place.plainPort};`],
          ['listen 443 ', `listen 127.0.0.1:${place.port} `],
          ['/etc/tillseal/tls/fullchain.pem', join(place.folder, 'certificate.pem')],
          ['/etc/tillseal/tls/privkey.pem', join(place.folder, 'key.pem')],
        ])}
      }`,
    words: (file, folder) => ['-c', file, '-p', folder, '-e', 'stderr'],
  },
  {
    name: 'haproxy',
    file: 'haproxy.cfg',
    sendsAgain: true,
    adapt: (text, place) =>
      replaced(text, [
        ...instancesOf(place),
        ['bind :80\n', `bind 127.0.0.1:${place.plainPort}\n`],
        ['bind :443 ', `bind 127.0.0.1:${place.port} `],
        ['/etc/tillseal/tls/tillseal.pem', join(place.folder, 'both.pem')],
      ]),
    words: (file) => ['-db', '-f', file],
  },
  {
    name: 'caddy',
    file: 'Caddyfile',
    // It does not keep the body: a till gets 502 for what was in flight.
    sendsAgain: false,
    adapt: (text, place) =>
      replaced(text, [
        ...instancesOf(place),
        [
          '{\n\tservers {',
          `{\n\tadmin off\n\tauto_https disable_redirects\n\thttp_port ${place.plainPort}\n\tservers {`,
        ],
        [
          '{$TILLSEAL_SITE:tillseal.example.com} {',
          `https://localhost:${place.port} {\n\tbind 127.0.0.1\n\ttls ${place.folder}/certificate.pem ${place.folder}/key.pem`,
        ],
      ]),
    words: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
];

export function programOf({ name }: ProxyKind): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** For localhost, valid for a day. */
export function makeCertificate(folder: string): string {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const words = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '1',
    ...subject,
  ];
  execFileSync('openssl', [...words, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const pem = readFileSync(certificate, 'utf8');
  writeFileSync(join(folder, 'both.pem'), pem + readFileSync(key, 'utf8'));
  return pem;
}

export interface RunningProxy {
  readonly child: ChildProcess;
  output(): string;
}

export function startProxy(kind: ProxyKind, program: string, place: Place): RunningProxy {
  mkdirSync(place.folder, { recursive: true });
  const file = join(place.folder, kind.file);
  writeFileSync(file, kind.adapt(readFileSync(join(DEPLOY, kind.file), 'utf8'), place));
  const child = spawn(program, kind.words(file, place.folder), {
    env: { PATH: process.env['PATH'], HOME: place.folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return { child, output: () => output };
}
