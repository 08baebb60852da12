import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { asFile, describeReceiver, ROOT } from './describe-receiver.ts';

const isThere = (command: string, ...words: string[]) => spawnSync(command, words).status === 0;

describeReceiver({
  language: 'ts',
  prepare: async (folder, program) => {
    const installed = join(folder, 'node_modules/@tillseal/client');
    await mkdir(installed, { recursive: true });
    await writeFile(join(installed, 'package.json'), '{"type":"module","exports":"./index.js"}');
    const client = pathToFileURL(join(ROOT, 'clients/typescript/src/index.ts')).href;
    await writeFile(join(installed, 'index.js'), `export * from '${client}';`);
    await asFile('receiver.mts')(folder, program);
  },
  serve: () => [process.execPath, 'receiver.mts'],
  work: [process.execPath, 'receiver.mts', 'work'],
});

describeReceiver({
  language: 'python',
  lacking: isThere('python3', '-c', 'import sqlite3, sys; sys.exit(sys.version_info < (3, 9))') ? undefined : 'python3',
  prepare: asFile('receiver.py'),
  serve: () => ['python3', 'receiver.py'],
  work: ['python3', 'receiver.py', 'work'],
  environment: { PYTHONPATH: join(ROOT, 'clients/python') },
});

describeReceiver({
  language: 'php',
  lacking: isThere('php', '-r', "exit(extension_loaded('pdo_sqlite') ? 0 : 1);") ? undefined : 'php with pdo_sqlite',
  prepare: asFile('receiver.php', `<?php require '${join(ROOT, 'clients/php/src/autoload.php')}';\n`),
  serve: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
  work: ['php', 'receiver.php'],
});
