import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { lackingFor } from '../../clients/languages.ts';
import { asFile, describeReceiver, ROOT } from './describe-receiver.ts';

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
  lacking: lackingFor('python'),
  prepare: asFile('receiver.py'),
  serve: () => ['python3', 'receiver.py'],
  work: ['python3', 'receiver.py', 'work'],
  environment: { PYTHONPATH: join(ROOT, 'clients/python') },
});

describeReceiver({
  language: 'php',
  lacking: lackingFor('php'),
  prepare: asFile('receiver.php', `<?php require '${join(ROOT, 'clients/php/src/autoload.php')}';\n`),
  serve: (port) => ['php', '-S', `127.0.0.1:${port}`, 'receiver.php'],
  work: ['php', 'receiver.php'],
});
