/** The scenarios, played by the scripted till of a language (proof/clients/README.md), which is told what to do line by line. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Language, languageNamed, missing } from '../languages.ts';
import { type Said, SCENARIOS, Stage, type Till } from './play.ts';
import { type ScriptedService, startScriptedService } from './scripted-service.ts';

interface TillProcess extends Till {
  end(): void;
}

function startTill(language: Language, url: string, folder: string): TillProcess {
  const [program, ...words] = language.till(folder);
  const child = spawn(program, [...words, 'script', '--url', url, '--token', 'tsk_test'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const waiting: ((said: Said) => void)[] = [];
  const reports: string[] = [];
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  // A till that ends says nothing any more.
  const ended = new Promise<Said>((resolve) => {
    child.once('close', (code) => resolve({ Error: `the till ended with ${code}: ${errors}` }));
  });
  child.stdin.on('error', () => {});
  createInterface(child.stdout).on('line', (line) => {
    const said = JSON.parse(line) as Said | { readonly Report: string };
    if ('Report' in said) reports.push(said.Report);
    else waiting.shift()?.(said);
  });
  return {
    reports,
    do: (command) => {
      const said = new Promise<Said>((resolve) => waiting.push(resolve));
      child.stdin.write(`${JSON.stringify(command)}\n`);
      return Promise.race([said, ended]);
    },
    end: () => child.kill('SIGKILL'),
  };
}

export function describeScenarios(name: Language['name']): void {
  const language = languageNamed(name);
  const lacking = missing(language);
  describe.skipIf(lacking.length > 0)(
    `the outbox of ${name}${lacking.length > 0 ? ` (skipped: no ${lacking.join(', ')})` : ''}`,
    () => {
      let folder: string;
      let service: ScriptedService;
      let tills: { readonly till: TillProcess; readonly other: TillProcess };
      beforeAll(async () => {
        folder = mkdtempSync(join(tmpdir(), 'tillseal-scenarios-'));
        service = await startScriptedService();
        await language.build?.(folder);
        const start = () => startTill(language, service.url, folder);
        tills = { till: start(), other: start() };
      }, 300_000);
      afterAll(async () => {
        tills?.till.end();
        tills?.other.end();
        await service.close();
        rmSync(folder, { recursive: true, force: true });
      });

      test.each(SCENARIOS.map((scenario, index) => ({ index, ...scenario })))(
        '$Name',
        async ({ index, ...scenario }) => {
          await new Stage(join(folder, `till-${index}.outbox`), service, tills).play(scenario);
        },
      );
    },
  );
}
