/** The till, with a signal to itself before the n-th call of a function of the file system: SABOTAGE=renameSync:1:SIGKILL. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [name = '', nth = '', signal = ''] = (process.env['SABOTAGE'] ?? '').split(':');
const original: unknown = Reflect.get(fs, name);
if (typeof original !== 'function') throw new Error(`there is no fs.${name}`);
let calls = 0;
Reflect.set(fs, name, (...given: unknown[]) => {
  calls += 1;
  if (calls === Number(nth)) process.kill(process.pid, signal);
  return Reflect.apply(original, fs, given);
});
syncBuiltinESMExports();
await import('../till.ts');
