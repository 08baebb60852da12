import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/contract/index.ts';
import type { Operation } from '../../../src/contract/shared/operation.ts';
import { invoice } from '../../../test/support/receipts/receipts.ts';
import type { AttackedService } from '../attacked-service.ts';
import { inTurns } from '../request/send.ts';
import type { Credentials, Headers } from '../world/credentials.ts';
import type { There } from './everything.ts';
import { COLUMNS, type Column, FIRST_OF_TENANTS, readMatrix } from './matrix.ts';

/** What the taxpayer and the vendor that the columns name have, by the parameter; of anything else nothing is named. */
// biome-ignore format: a list to be read at a glance
const THERE = [
  'taxpayerId', 'vendorId', 'billerCode', 'authorityDeviceId', 'globalCounter', 'fiscalDayNumber', 'month', 'billPayReference',
  'alertId', 'deliveryId',
];

interface Answered {
  readonly status: number;
  readonly code?: string | undefined;
}

/** Why nobody is let in. */
const CODES = new Map([
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
]);

const routeOf = ({ method, path }: Operation) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;

/** What browsers read is not in the contract. */
function isPage(route: string): boolean {
  return /^GET \/($|docs|openapi\.json$|llms\.txt$|favicon\.ico$|console)/.test(route);
}

function symbolOf(status: number, expected: string | undefined): string {
  const isLetIn = ![401, 403].includes(status) && status < 500;
  if (expected === '.' && isLetIn) return '.';
  if (status >= 200 && status < 300) return '+';
  return { 400: '0', 401: '1', 403: '3', 404: '4' }[status] ?? String(status);
}

export function everybody(attacked: AttackedService, there: There, { headersOf }: Credentials): void {
  const rows = readMatrix();
  const [billerCode, reference] = [there['billerCode'], there['reference'] ?? ''];
  const deviceId = Number(there['authorityDeviceId']);
  let count = 0;

  /** Whose something is, is told after the body was read: the last example of the contract, which opens a day that is open. */
  function bodyOfTenant(route: string): object | undefined {
    if (route.startsWith('PATCH ')) return {};
    const operation = route.includes('{') ? OPERATIONS.find((one) => routeOf(one) === route) : undefined;
    return Object.values(operation?.bodyExamples ?? {}).at(-1) ?? bodyOf(route);
  }

  const SOME_ID = '00000000-0000-7000-8000-000000000000';
  const payment = (name: string) => ({
    VendorReference: name,
    BillerCode: billerCode,
    MemberNumber: '1',
    Currency: 'USD',
    Amount: 5,
  });

  /** What tenants own is asked for by name, so that another's is seen to be refused; operators are asked for nothing that exists. */
  function addressOf(path: string, column: Column): string {
    const isOfTenant = COLUMNS.indexOf(column) >= FIRST_OF_TENANTS;
    const known = isOfTenant
      ? path.replaceAll(/\{(\w+)\}/g, (all, name: string) => (THERE.includes(name) && there[name]) || all)
      : path;
    const named = known
      .replace('/api/receipt/{reference}', `/api/receipt/${reference}`)
      .replace('/api/device/{authorityDeviceId}', `/api/device/${deviceId}`)
      .replace('/day/{fiscalDayNumber}/', '/day/1/')
      .replace('/api/payment/status', `/api/payment/status?vendorReference=${reference}`)
      .replace('/api/payment/TargetStats', `/api/payment/TargetStats?billercode=${billerCode}`)
      .replace('/api/payment/feed', `/api/payment/feed?billercode=${billerCode}`);
    return named.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
      /DeviceId|Counter|Number|alertId/.test(name) ? '9' : SOME_ID,
    );
  }

  function bodyOf(route: string): object | undefined {
    count += 1;
    if (route.startsWith('POST /api/receipt/')) return invoice(deviceId, `INV-${1000 + count}`);
    if (/POST \/api\/payment\/(auth|pay)$/.test(route)) return payment(`V-${1000 + count}`);
    if (route === 'POST /api/payment/reverse') return { VendorReference: reference };
    // A body that no route accepts: nothing is changed, and who is let in is told so.
    return /^(POST|PATCH|PUT) /.test(route) ? { Nothing: true } : undefined;
  }

  /** Sessions are kept for what neither ends nor changes them. */
  const kept = new Map<Column, Headers>();
  async function headersFor(route: string, column: Column): Promise<Headers> {
    if (route.includes('/session')) return headersOf(column);
    const headers = kept.get(column) ?? (await headersOf(column));
    kept.set(column, headers);
    return headers;
  }

  /** Resolves with the status, and the code where nobody is let in, as soon as it is there: one of the answers never ends. */
  function ask(route: string, headers: Headers, body: object | undefined, column: Column): Promise<Answered> {
    const [method = '', path = ''] = route.split(' ');
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          port: attacked.port,
          method,
          path: addressOf(path, column),
          headers: { ...Object.fromEntries(headers), ...type },
        },
        (answer) => {
          const status = answer.statusCode ?? 0;
          if (status === 401 || status === 403) {
            json(answer).then((problem) => resolve({ status, code: (problem as { Code?: string }).Code }), reject);
            return;
          }
          // All others end, and leave their connection to the next. Pages are megabytes.
          if (answer.headers['content-length'] === undefined || isPage(route)) answer.on('error', () => {}).destroy();
          else answer.resume();
          resolve({ status });
        },
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  test('every operation of the contract is served', () => {
    expect(attacked.service.routes.filter((route) => !isPage(route)).toSorted()).toEqual(
      OPERATIONS.map(routeOf).toSorted(),
    );
  });

  test('every route has its row, and every row its route and an answer for each way in', () => {
    expect(rows.map((row) => row.route).toSorted()).toEqual([...attacked.service.routes].toSorted());
    for (const { route, answers } of rows) expect(answers, route).toHaveLength(COLUMNS.length);
  });

  test('everybody is answered as the matrix says', async () => {
    const wrong: string[] = [];
    await inTurns(rows, async ({ route, answers }) => {
      for (const [index, column] of COLUMNS.entries()) {
        // Pages are alike for all; and each role of a tenant includes those below, so what an owner may not, none of them may.
        const owner = COLUMNS.indexOf(column.replace(/^(clerk|viewer) of/, 'owner of') as Column);
        const isBelow = owner >= 0 && owner !== index && answers[owner] === '3' && answers[index] === '3';
        if (index >= FIRST_OF_TENANTS && (isBelow || !route.includes(' /api/'))) continue;
        const body = index < FIRST_OF_TENANTS ? bodyOf(route) : bodyOfTenant(route);
        let { status, code } = await ask(route, await headersFor(route, column), body, column);
        // A busy machine is not ready for a moment, which says nothing about who may ask.
        for (let attempt = 1; status === 503 && attempt < 20; attempt += 1) {
          await delay(100);
          ({ status, code } = await ask(route, await headersFor(route, column), body, column));
        }
        const symbol = symbolOf(status, answers[index]);
        if (symbol !== answers[index]) wrong.push(`${route}, ${column}: ${status}, not ${answers[index]}`);
        if (code !== CODES.get(status)) wrong.push(`${route}, ${column}: ${status} ${code}`);
      }
    });
    expect(wrong).toEqual([]);
  }, 360_000);

  test('a viewer changes nothing: all that is open to it reads, or is about its own session', () => {
    const viewer = COLUMNS.indexOf('session of viewer');
    const open = rows.filter(
      ({ route, answers }) => !route.startsWith('GET ') && !'13'.includes(answers[viewer] ?? ''),
    );
    expect(open.map(({ route }) => route).filter((route) => route !== 'POST /api/admin/session')).toEqual([
      'DELETE /api/admin/session',
      'PATCH /api/admin/session',
      'POST /api/admin/session/password',
      // For whoever has a link that was mailed.
      'POST /api/admin/session/reset',
      'POST /api/admin/session/link',
      'PUT /api/admin/session/link',
      'POST /api/admin/session/openid',
      'PUT /api/admin/session/openid',
      'POST /api/admin/session/identity',
      'PUT /api/admin/session/identity',
      'DELETE /api/admin/session/identity',
      'POST /api/admin/session/second-factor',
      'POST /api/admin/session/second-factor/options',
      'POST /api/admin/session/totp',
      'PUT /api/admin/session/totp',
      'DELETE /api/admin/session/totp',
      'POST /api/admin/session/passkeys',
      'PUT /api/admin/session/passkeys',
      'DELETE /api/admin/session/passkeys/{passkeyId}',
      'DELETE /api/admin/sessions/{sessionId}',
      'POST /api/admin/endpoints/confirm',
    ]);
  });

  test('the description of the API names the ways in that are really taken, and no others', async () => {
    const document = (await (await fetch(`${attacked.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { security: Record<string, unknown>[] }>>;
    };
    /** What stands for each scheme; it is taken where anybody with it is let in. */
    const ways: Readonly<Record<string, readonly Column[]>> = {
      Bearer: [
        'till that signs',
        'till that reads',
        'till that registers endpoints',
        'vendor that pays',
        'vendor that reads',
        'operator',
      ],
      VendorBasic: ['vendor by Basic'],
      ConsoleSession: ['bare session of admin'],
      'ConsoleHeader+ConsoleSession': ['session of admin'],
    };
    for (const { route, answers } of rows) {
      const [method = '', path = ''] = route.split(' ');
      const described = document.paths[path]?.[method.toLowerCase()]?.security;
      if (described === undefined || described.length === 0) continue;
      const isTaken = (columns: readonly Column[]) =>
        columns.some((column) => !'13'.includes(answers[COLUMNS.indexOf(column)] ?? ''));
      const taken = Object.keys(ways).filter((way) => isTaken(ways[way] ?? []));
      // Where a session is enough, it is with the header, too.
      const needed = taken.filter((way) => !(way.includes('+') && taken.includes('ConsoleSession')));
      expect(described.map((way) => Object.keys(way).toSorted().join('+')).toSorted(), route).toEqual(
        needed.toSorted(),
      );
    }
  });
}
