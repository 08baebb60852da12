import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'vitest';
import { SCENARIOS, Stage } from '../../scenarios/play.ts';
import { type ScriptedService, startScriptedService } from '../../scenarios/scripted-service.ts';
import { scriptedTill } from './scripted-till.ts';

let folder: string;
let service: ScriptedService;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tillseal-scenario-'));
  service = await startScriptedService();
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each(SCENARIOS)('$Name', async (scenario) => {
  const tills = { till: scriptedTill(service.url), other: scriptedTill(service.url) };
  await new Stage(join(folder, 'till.outbox'), service, tills).play(scenario);
});
