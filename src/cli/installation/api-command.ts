import { OPERATIONS } from '../../contract/index.ts';
import { DRY_RUN, roleOf } from '../derived/command.ts';
import { openService } from '../shared/client.ts';
import { CONNECTION, type Command, type Invocation } from '../shared/command.ts';
import { usage } from '../shared/failure.ts';
import { readInput } from '../shared/input.ts';
import { saveDownload } from '../shared/save-download.ts';
import { didYouMean } from '../shared/suggestion.ts';

export const apiCommand: Command = {
  name: 'api',
  summary: 'Call any operation of the API, with the token that it takes, and print its answer.',
  arguments: ['METHOD', 'PATH', '[FILE|-]'],
  options: { ...DRY_RUN, ...CONNECTION },
  details: 'FILE is the body that is sent, as it is. The operations are listed under /docs of the service.',
  examples: [
    'tillseal api GET /api/token',
    'tillseal api GET "/api/admin/receipts.csv?State=Refused" > refused.csv',
    'tillseal api POST /api/admin/taxpayers taxpayer.json --dry-run',
  ],
  run: callOperation,
};

async function callOperation(invocation: Invocation): Promise<void> {
  const { terminal, words } = invocation;
  const [method = '', path = '', file] = words;
  const operation = find(method.toUpperCase(), path);
  const body = file === undefined ? undefined : await readInput(terminal, file, 'a body');
  const service = await openService(invocation, roleOf(operation.access));
  // Colons are for the names of parameters, and there are none left.
  const at = { ...operation, path: path.replaceAll(':', '%3A') };
  if (invocation.isSet('dry-run')) service.show(at, { params: {}, body });
  else if (operation.method !== 'GET') terminal.print((await service.call(at, { params: {}, body })).text);
  else {
    await saveDownload(invocation, service.download(path), '-');
    if (terminal.output.isTTY === true) terminal.print('');
  }
}

function find(method: string, path: string) {
  const [place = ''] = path.split('?');
  const found = OPERATIONS.find(
    (operation) =>
      operation.method === method && new RegExp(`^${operation.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(place),
  );
  if (found !== undefined) return found;
  const addresses = OPERATIONS.map((operation) => `${operation.method} ${operation.path}`);
  const near = didYouMean(`${method} ${place}`, addresses);
  throw usage(`There is no operation ${method} ${place}.${near}`, 'They are listed under /docs of the service.');
}
