import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SHOWN = 30;

interface CpuProfile {
  readonly startTime: number;
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** When something was measured: samples before and after it are left out. */
export interface Span {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** The functions of a CPU profile that used most time, without what they call, as lines for a terminal. */
export async function topFunctions(folder: string, spans: readonly Span[]): Promise<string[]> {
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) return ['no profile was written'];
  const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile;
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const selfMs = new Map<string, number>();
  let atMs = profile.startTime / 1000;
  for (const [index, id] of profile.samples.entries()) {
    const deltaMs = (profile.timeDeltas[index] ?? 0) / 1000;
    atMs += deltaMs;
    const name = names.get(id) ?? '?';
    const isMeasured = spans.some((span) => span.startedAtMs <= atMs && atMs <= span.endedAtMs);
    if (isMeasured) selfMs.set(name, (selfMs.get(name) ?? 0) + deltaMs);
  }
  const idleMs = selfMs.get('(idle)') ?? 0;
  selfMs.delete('(idle)');
  const busyMs = [...selfMs.values()].reduce((sum, ms) => sum + ms, 0);
  const lines = [...selfMs]
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, SHOWN)
    .map(([name, ms]) => `${((ms / busyMs) * 100).toFixed(1).padStart(6)} %  ${Math.round(ms)} ms`.padEnd(24) + name);
  return [`busy ${Math.round(busyMs)} ms, idle ${Math.round(idleMs)} ms; self time of the busiest:`, ...lines];
}

function nameOf(frame: CpuProfile['nodes'][number]['callFrame']): string {
  const name = frame.functionName === '' ? '(anonymous)' : frame.functionName;
  if (frame.url === '') return name;
  const path = frame.url.startsWith('file://') ? relative(ROOT, frame.url.slice('file://'.length)) : frame.url;
  return `${name}  ${path}:${frame.lineNumber + 1}`;
}
