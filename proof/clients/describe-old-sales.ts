import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Language, missing } from '../../clients/languages.ts';
import {
  problem,
  type ScriptedService,
  sealed,
  startScriptedService,
} from '../../clients/scenarios/scripted-service.ts';
import { Client } from '../../clients/typescript/src/index.ts';
import { runTill } from './tills/till-process.ts';

const PAGE = 4096;

/** Opening, emptying and selling take as long with 90 days of sales as without: pages of old sales are damaged, and whoever reads one fails. */
export function describeOldSales(languages: readonly Language[]): void {
  const there = languages.filter((language) => missing(language).length === 0);
  describe.each(there)('beside 90 days of sales, $name', (language) => {
    let service: ScriptedService;
    let folder: string;
    let file: string;
    const sql = (text: string) => {
      const db = new DatabaseSync(file);
      try {
        return Object.values(db.prepare(text).get() ?? {})[0];
      } finally {
        db.close();
      }
    };
    const run = async (...words: string[]) => {
      const lines: string[] = [];
      const { code, errors } = await runTill(language.till(folder), [...words, '--outbox', file], (line) =>
        lines.push(line),
      );
      return { code, errors, results: lines.map((line) => JSON.parse(line)) };
    };
    const online = () => ['--url', service.url, '--token', 't'];
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'tillseal-old-'));
      file = join(folder, 'till.outbox');
      service = await startScriptedService();
      await language.build?.(folder);
      await new Client('', '').openOutbox(file);
    }, 300_000);
    afterAll(async () => {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test('a file that is whole is checked once a day', async () => {
      sql('update meta set checked_at = checked_at - 86401');
      expect(await run('status')).toMatchObject({ code: 0 });
      expect(sql(`select checked_at > strftime('%s', 'now') - 86400 from meta`)).toBe(1);
    }, 300_000);

    test('a till sells, drains, empties and forgets without reading them, and learns within a day that they are damaged', async () => {
      writeOldSales(file);
      const countOld = () =>
        sql(
          `select count(*) from sales where body is null and answer is null and ended_at <= strftime('%s', 'now') - 7776000`,
        );
      expect(() => sql('select count(device) from sales')).toThrow('malformed');
      service.answer = (request) => (request.reference === 'P-2' ? problem(400, 'InvalidRequest') : sealed(request));
      expect(await run('status')).toMatchObject({ code: 0, results: [{ Queued: 0, SetAside: [] }] });
      expect(sql(`select body is null and answer is null from sales where reference = 'NEW'`)).toBe(1);
      expect(countOld()).toBe(200);
      const selling = ['--device', '1', '--prefix', 'P', '--sales', '2', '--deadline-ms', '30000'];
      const sold = await run('sell', ...online(), ...selling);
      expect(sold).toMatchObject({ code: 0, results: [{ Outcome: 'Signed' }, { Outcome: 'SetAside' }] });
      expect(countOld()).toBe(0);
      const retried = await run('retry');
      service.answer = () => problem(503, 'Overloaded');
      const drained = await run('drain', ...online(), '--within-ms', '1');
      expect(drained).toMatchObject({ code: 4, results: [{ Status: { Queued: 1, SetAside: [] } }] });
      expect(sold.errors + retried.errors + drained.errors).not.toMatch(/damaged|malformed/);
      sql('update meta set checked_at = checked_at - 86401');
      expect(await run('status')).toMatchObject({ code: 1, errors: expect.stringContaining('.recover') });
    }, 300_000);
  });
}

/** 1,200 that may be forgotten, 6,800 younger ones and one that is to be emptied; then half of the younger ones' pages are damaged. */
function writeOldSales(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 8000)
    insert into sales (reference, device, sold_at, state, ended_at, body_sha256, attempts, answered, leased_until, status, number)
    select printf('OLD-%05d', n), 1, 0, 'Signed', strftime('%s', 'now') - 7776000 + (n - 1200) * 1100, hex(randomblob(32)), 1, 1, 0, 200, n from numbers;
    insert into sales (reference, device, sold_at, state, ended_at, body, body_sha256, attempts, answered, leased_until, status, answer, number)
    select 'NEW', 1, 0, 'Signed', strftime('%s', 'now') - 120, '{}', '', 1, 1, 0, 200, '{}', 1`);
  db.close();
  const bytes = readFileSync(file);
  const pages = bytes.length / PAGE;
  bytes.fill(0xff, Math.floor(pages / 2) * PAGE, Math.floor(pages * 0.8) * PAGE);
  writeFileSync(file, bytes);
}
