#!/usr/bin/env node
/** `tillseal` of the installed package: compiled code, on the Node that runs this. A clone has its own in bin/. */
import { join } from 'node:path';

const [major, minor] = process.versions.node.split('.').map(Number);
const [command, ...words] = process.argv.slice(2);

// Before anything else, and without what older versions lack.
if (major < 24 || (major === 24 && minor < 7)) {
  process.stderr.write(
    `tillseal needs Node 24.7 or newer, and this is ${process.version}: install it and try again.\n`,
  );
  process.exitCode = 1;
} else if (command === 'start') {
  const root = join(import.meta.dirname, '..');
  // A process of its own, because Node takes these flags only at the start.
  const { run, serviceEnvironment, serviceFlags } = await import('./run.mjs');
  const program = [...serviceFlags(root), join(root, 'src', 'main.js'), ...words];
  const options = { stdio: 'inherit', env: serviceEnvironment(root) };
  process.exitCode = await run(process.execPath, program, options);
} else {
  if (command === 'simulator') process.argv.splice(2, 1);
  await import(`../src/${command === 'simulator' ? 'simulator' : 'cli'}/main.js`);
}
