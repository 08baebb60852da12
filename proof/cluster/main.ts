/** `npm run cluster`: runs Tillseal on PostgreSQL under Patroni, causes every failure that a cluster must survive, and checks what is left. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuseOptions, scriptOptions } from '../../src/platform/script-options.ts';
import { pageOf } from './report.ts';
import { CONTROLS, type Task, WAYS } from './task.ts';

const USAGE = `Usage: npm run cluster -- [options]        (as root, on Linux)

  --minutes N       how long events happen (30), each way; every kind comes at least once
  --seed N          repeats the plan of an earlier run
  --way WAY         hosts (all members in DATABASE_URL), proxy (behind HAProxy) or both (both)
  --control WHAT    a run that must fail, and succeeds if it does: asynchronous, no-barrier or etcd3
  --keep            keeps ledger, logs and data, and says where
  --report FILE     writes the report there as well
`;
const PACKAGES = {
  patroni: 'patroni',
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  ip: 'iproute2',
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
};
/** Its first process waits for those whose parents were killed; when it ends, the kernel ends all others. */
const INSIDE = 'mount -t tmpfs tmpfs /run && "$@"; exit $?';

function readOptions() {
  const values = scriptOptions(USAGE, {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    way: { type: 'string', default: 'both' },
    control: { type: 'string' },
    keep: { type: 'boolean', default: false },
    report: { type: 'string' },
  });
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes >= 0) || !Number.isSafeInteger(seed)) refuseOptions(USAGE, '--minutes and --seed must be numbers');
  const isBoth = values.way === 'both' && values.control === undefined;
  const one = values.way === 'both' ? 'hosts' : values.way;
  const ways = isBoth ? WAYS : WAYS.filter((way) => way === one);
  if (ways.length === 0) refuseOptions(USAGE, `no way: ${values.way}`);
  const control = CONTROLS.find((one) => one === values.control);
  if (values.control !== undefined && control === undefined) refuseOptions(USAGE, `no control: ${values.control}`);
  return { minutes, seed, ways, control, isKept: values.keep, reportFile: values.report };
}

function refuseMachine(): void {
  const missing = Object.entries(PACKAGES).filter(([program]) => spawnSync('which', [program]).status !== 0);
  const reason =
    process.getuid?.() !== 0
      ? 'Network namespaces need root, and this is another user: nothing was started.'
      : missing.length > 0
        ? `Missing here: apt-get install --no-install-recommends ${missing.map(([, name]) => name).join(' ')}`
        : undefined;
  if (reason === undefined) return;
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

/** Network, processes and mounts of its own, which end with it, and it with this process: nothing can be left behind. */
async function runInside(task: Task): Promise<number> {
  const temporary = join(task.folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const inside = [process.execPath, join(import.meta.dirname, 'inside.ts'), JSON.stringify(task)];
  const words = ['--pdeathsig', 'KILL', 'unshare', ...namespaces, 'sh', '-c', INSIDE, 'sh', ...inside];
  const child = spawn('setpriv', words, { stdio: 'inherit', env: { ...process.env, TMPDIR: temporary } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => child.kill('SIGKILL'));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 130;
}

async function main(): Promise<number> {
  const { ways, isKept, reportFile, ...options } = readOptions();
  refuseMachine();
  const folder = await mkdtemp(join(tmpdir(), 'tillseal-cluster-'));
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755);
  const reports: string[] = [];
  let worst = 0;
  try {
    for (const way of ways) {
      const own = join(folder, way);
      const code = await runInside({ ...options, way, folder: own });
      worst = Math.max(worst, code);
      const file = join(own, 'report.md');
      reports.push(
        existsSync(file) ? readFileSync(file, 'utf8') : `# ${way}: FAILED before there was anything to report\n`,
      );
      if (code > 1) break;
    }
  } finally {
    if (isKept) process.stdout.write(`kept in ${folder}\n`);
    // What was killed may still be ending.
    else rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
  const page = pageOf(reports);
  process.stdout.write(`\n${page}`);
  if (reportFile !== undefined) await writeFile(reportFile, page);
  return worst;
}

process.exitCode = await main();
