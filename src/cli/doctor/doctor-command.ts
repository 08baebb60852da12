import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import type { Settings } from '../../platform/settings.ts';
import { type Command, type Invocation, JSON_OPTION } from '../shared/command.ts';
import { EXIT, usage } from '../shared/failure.ts';
import type { Finding } from './finding.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Look at an installation before its start, or while it runs, and say what to do.',
  options: {
    settings: { value: 'FILE', help: 'read the settings from this file too, such as /etc/tillseal/tillseal.env' },
    ...JSON_OPTION,
  },
  details: `It takes the same settings as the service, from the environment, and looks at them, the database (version,
durability, clock, tables), the authority (reachable, certificate, clock), the master key, the disk and the port.
It changes nothing. Exit code 0 when there is no problem (there may be warnings), otherwise 1.`,
  examples: ['tillseal doctor', 'tillseal doctor --settings /etc/tillseal/tillseal.env'],
  run: async (invocation) => {
    // Not before it is needed: it brings the database's driver along.
    const { examine } = await import('./examine.ts');
    const findings = await examine(await settingsOf(invocation));
    tell(invocation, findings);
    if (findings.some(({ verdict }) => verdict === 'problem')) invocation.end(EXIT.refused);
  },
};

async function settingsOf(invocation: Invocation): Promise<() => Settings> {
  const file = invocation.text('settings');
  if (file === undefined) return () => invocation.environment.settings({});
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined)
    throw usage(`${file} cannot be read.`, 'Run this as a user who may read it, for example with sudo.');
  return () => invocation.environment.settings(parseEnv(text));
}

function tell({ terminal, isSet }: Invocation, findings: readonly Finding[]): void {
  if (isSet('json')) {
    const shown = findings.map(({ about, verdict, text, fix = null }) => ({
      About: about,
      Verdict: verdict,
      Text: text,
      Fix: fix,
    }));
    terminal.print(JSON.stringify({ Findings: shown }));
    return;
  }
  for (const { about, verdict, text, fix } of findings) {
    terminal.print(`${verdict.padEnd(8)}  ${about.padEnd(9)}  ${text}`);
    if (fix !== undefined) terminal.print(`${' '.repeat(21)}→ ${fix}`);
  }
}
