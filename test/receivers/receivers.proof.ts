import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lackingFor } from '../../clients/languages.ts';
import { asFile, describeReceiver, ROOT } from './describe-receiver.ts';

const run = promisify(execFile);

/** Compiling the client takes longer than the others take together. */
describeReceiver({
  language: 'csharp',
  lacking: lackingFor('csharp'),
  prepare: async (folder, program) => {
    await asFile('receiver.cs')(folder, program);
    await run(join(ROOT, 'clients/csharp/build'), [], { env: { ...process.env, BIN: folder } });
    const references = ['Tillseal.dll', 'System.Data', 'Mono.Data.Sqlite'].map((name) => `-r:${name}`);
    await run('mcs', ['-langversion:7.2', `-lib:${folder}`, ...references, 'receiver.cs'], { cwd: folder });
  },
  serve: () => ['mono', 'receiver.exe'],
  work: ['mono', 'receiver.exe', 'work'],
});
