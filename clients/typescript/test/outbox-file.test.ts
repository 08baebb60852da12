import fs, {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OutboxError } from '../src/index.ts';
import { CommitError, LostFileError, OutboxFile } from '../src/outbox/file.ts';
import { scriptExec, scriptPrepare } from './scripted-sqlite.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tillseal-outbox-')));
  file = join(folder, 'till.outbox');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** As another program does with the file. */
function other(statements: string): void {
  const db = new DatabaseSync(file);
  db.exec(statements);
  db.close();
}

/** Does something else in place of a statement, and is given what would run it. */
function instead(of: string, work: (run: () => void) => void) {
  return scriptExec((statement, run) => {
    if (statement === of) work(() => run(statement));
    else run(statement);
  });
}

const sqliteError = (errcode: number) => Object.assign(new Error(`SQLite says ${errcode}`), { errcode });
const fails = (error: unknown) => () => {
  throw error;
};
const idOf = (opened: OutboxFile) => opened.look((db) => db.prepare('select version, id from meta').get());

describe('opening', () => {
  test('creates it, and finds it again, by its full name', async () => {
    const opened = await OutboxFile.open(file);
    expect(await idOf(opened)).toEqual({ version: 1, id: expect.stringMatching(/^[0-9a-f]{16}$/) });
    const link = join(folder, 'link');
    symlinkSync(file, link);
    const again = await OutboxFile.open(link);
    expect(again.path).toBe(file);
    expect(await idOf(again)).toEqual(await idOf(opened));
  });

  test('a folder that does not exist', async () => {
    const opened = OutboxFile.open(join(folder, 'none', 'till.outbox'));
    await expect(opened).rejects.toThrow(OutboxError);
    await expect(opened).rejects.toThrow('none/till.outbox cannot be created: Error: ENOENT');
  });

  test('a folder in place of the file', async () => {
    mkdirSync(file);
    await expect(OutboxFile.open(file)).rejects.toThrow(
      `${file} cannot be read or written: it or a file beside it cannot be opened.`,
    );
  });

  test('the tables that another program makes meanwhile are kept', async () => {
    let isFirst = true;
    instead('begin immediate', (run) => {
      if (isFirst) {
        isFirst = false;
        other(
          `create table meta (version, id, checked_at); insert into meta values (1, 'theirs', strftime('%s', 'now'))`,
        );
      }
      run();
    });
    expect(await idOf(await OutboxFile.open(file))).toEqual({ version: 1, id: 'theirs' });
  });

  test('a file that is emptied as soon as it is made is lost', async () => {
    let commits = 0;
    instead('commit', (run) => {
      run();
      commits += 1;
      if (commits === 2) writeFileSync(file, '');
    });
    const opened = OutboxFile.open(file);
    await expect(opened).rejects.toThrow(`${file} is empty.`);
    await expect(opened).rejects.toThrow(LostFileError);
  });

  test.each([
    ['no meta', 'create table sales (place)'],
    ['a meta without rows', 'create table meta (version, id)'],
    ['a meta without an id', 'create table meta (version, id); insert into meta values (1, null)'],
  ])('a database with %s is not an outbox', async (_name, statements) => {
    other(statements);
    await expect(OutboxFile.open(file)).rejects.toThrow(`${file} is a database, but not an outbox. It was left alone.`);
  });

  const checkedAgo = (seconds: number) => other(`update meta set checked_at = strftime('%s', 'now') - ${seconds}`);

  test.each([
    ['just now', 0, false],
    ['almost a day ago', 86_300, false],
    ['more than a day ago', 86_401, true],
    ['in the future', -100, true],
  ])('one that was checked %s (%i s) is checked to its end: %j', async (_name, ago, isChecked) => {
    await OutboxFile.open(file);
    other('create table more (text); insert into more values (zeroblob(8000))');
    checkedAgo(ago);
    const bytes = readFileSync(file);
    bytes.fill(0xff, bytes.length - 4096);
    writeFileSync(file, bytes);
    const opened = OutboxFile.open(file).catch((error: unknown) => error);
    expect(await opened).toBeInstanceOf(isChecked ? LostFileError : OutboxFile);
    if (isChecked) expect(String(await opened)).toContain('is damaged or no database (');
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  test('a check that finds nothing is noted, but not waited for when another program writes', async () => {
    const opened = await OutboxFile.open(file);
    checkedAgo(86_401);
    const isRecent = () =>
      opened.look((db) => db.prepare(`select checked_at > strftime('%s', 'now') - 1000 as is_recent from meta`).get());
    const writer = new DatabaseSync(file);
    writer.exec('begin immediate');
    await OutboxFile.open(file);
    expect(await isRecent()).toEqual({ is_recent: 0 });
    writer.close();
    await OutboxFile.open(file);
    expect(await isRecent()).toEqual({ is_recent: 1 });
  });
});

describe('a transaction', () => {
  test.each([
    ['look', 13, 'the disk is full'],
    ['change', 8, 'the file or its folder is read-only'],
    ['look', 14, 'it or a file beside it cannot be opened'],
    ['change', 10, 'SQLite says 10'],
    // Of the file, extended by what was done with it.
    ['look', 8 + 256, 'the file or its folder is read-only'],
  ] as const)('%s that fails with %i says why, and its connection is closed', async (name, code, reason) => {
    const opened = await OutboxFile.open(file);
    const [close, cause] = [vi.spyOn(DatabaseSync.prototype, 'close'), sqliteError(code)];
    const failed = opened[name](fails(cause));
    await expect(failed).rejects.toThrow(`${file} cannot be read or written: ${reason}.`);
    await expect(failed).rejects.toMatchObject({ cause });
    await expect(failed).rejects.not.toBeInstanceOf(CommitError);
    expect(close).toHaveBeenCalledTimes(1);
  });

  test.each([
    [13, 'the disk is full'],
    [10, 'SQLite says 10'],
  ])('a commit that fails with %i may have been made', async (code, reason) => {
    const [opened, cause] = [await OutboxFile.open(file), sqliteError(code)];
    instead('commit', fails(cause));
    const failed = opened.change(() => {});
    await expect(failed).rejects.toBeInstanceOf(CommitError);
    await expect(failed).rejects.toThrow(`${file} cannot be written: ${reason}.`);
    await expect(failed).rejects.toMatchObject({ cause });
  });

  test('a commit that fails with something else says what', async () => {
    const opened = await OutboxFile.open(file);
    instead('commit', fails('milk'));
    await expect(opened.change(() => {})).rejects.toThrow(`${file} cannot be written: milk.`);
  });

  test.each([
    ['work', 11],
    ['work', 26],
    ['commit', 11],
    ['commit', 26],
  ])('a %s that fails with %i has met a damaged file', async (where, code) => {
    const opened = await OutboxFile.open(file);
    const fail = fails(sqliteError(code));
    if (where === 'commit') instead('commit', fail);
    const failed = opened.change(where === 'work' ? fail : () => {});
    await expect(failed).rejects.toBeInstanceOf(LostFileError);
    await expect(failed).rejects.toThrow(`${file} is damaged or no database (SQLite says ${code}).`);
  });

  test.each([
    ['error', new TypeError('a fault')],
    ['error with a code of another kind', Object.assign(new Error('a fault'), { errcode: 'EBADF' })],
    ['object', { errcode: 5 }],
  ])('an %s that is none of SQLite is passed on', async (_name, error) => {
    const opened = await OutboxFile.open(file);
    await expect(opened.look(fails(error))).rejects.toBe(error);
  });

  test.each(['begin immediate', 'commit'])(
    'a %s that meets a locked file is tried again, from the beginning',
    async (statement) => {
      const opened = await OutboxFile.open(file);
      let [failures, works] = [0, 0];
      instead(statement, (run) => {
        failures += 1;
        // As a snapshot, for one.
        if (failures <= 2) throw sqliteError(5 + 512);
        run();
      });
      expect(await opened.change(() => (works += 1))).toBe(statement === 'commit' ? 3 : 1);
    },
  );

  test.each([
    ['journal_mode', `'wal'`, 'is wal, not truncate'],
    ['synchronous', '1', 'is 1, not 2'],
    ['secure_delete', 'null limit 0', 'is undefined, not 1'],
  ])('on a file whose %s cannot be set is refused, and closed', async (name, is, sentence) => {
    const opened = await OutboxFile.open(file);
    scriptPrepare((sql) =>
      sql === `pragma ${name}` ? `with found (${name}) as (select ${is}) select * from found` : sql,
    );
    const close = vi.spyOn(DatabaseSync.prototype, 'close');
    await expect(opened.look(() => {})).rejects.toThrow(`${file} cannot be used: ${name} ${sentence}.`);
    expect(close).toHaveBeenCalledTimes(1);
  });

  test('sees its modes', async () => {
    const opened = await OutboxFile.open(file);
    const modes = ['journal_mode', 'synchronous', 'secure_delete'];
    expect(await opened.look((db) => modes.map((name) => db.prepare(`pragma ${name}`).get()?.[name]))).toEqual([
      'truncate',
      2,
      1,
    ]);
  });

  test('that only reads takes no lock from one that writes, and sees nothing of it', async () => {
    const opened = await OutboxFile.open(file);
    const writer = new DatabaseSync(file);
    writer.exec(`begin immediate; update meta set halted_at = 1`);
    expect(await opened.look((db) => db.prepare('select halted_at from meta').get())).toEqual({ halted_at: null });
    await expect(opened.change(() => {}, 0)).rejects.toThrow('has been locked');
    writer.close();
  });

  test('in a file that cannot be opened, although it is there', async () => {
    const opened = await OutboxFile.open(file);
    rmSync(file);
    mkdirSync(file);
    await expect(opened.look(() => {})).rejects.toThrow('it or a file beside it cannot be opened');
    rmSync(file, { recursive: true });
    const lost = opened.look(() => {});
    await expect(lost).rejects.toThrow(`${file} is no longer there since the outbox was opened: open it again.`);
    await expect(lost).rejects.toBeInstanceOf(LostFileError);
  });

  test('does not create anew what is deleted at the last moment', async () => {
    const opened = await OutboxFile.open(file);
    rmSync(file);
    const exists = vi.spyOn(fs, 'existsSync').mockReturnValue(true);
    syncBuiltinESMExports();
    await expect(opened.look(() => {})).rejects.toThrow(OutboxError);
    exists.mockRestore();
    syncBuiltinESMExports();
    expect(readdirSync(folder)).not.toContain('till.outbox');
  });

  test('that cannot even find out which file it is in', async () => {
    const opened = await OutboxFile.open(file);
    scriptPrepare((sql) => {
      if (sql.includes('from meta')) throw sqliteError(10);
      return sql;
    });
    await expect(opened.look(() => {})).rejects.toThrow('cannot be read or written: SQLite says 10.');
  });

  test.each([`update meta set id = 'x'`, 'delete from meta', 'drop table meta'])(
    'in a file after: %s',
    async (statement) => {
      const opened = await OutboxFile.open(file);
      other(statement);
      await expect(opened.look(() => {})).rejects.toThrow(
        `${file} has been emptied or replaced since the outbox was opened: open it again.`,
      );
    },
  );
});
