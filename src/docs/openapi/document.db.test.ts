import { randomUUID } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { type Method, NOON, serviceOfFile } from '../../../test/support/service.ts';
import { PROBLEMS } from '../../contract/shared/problem.ts';
import type { RuleCode } from '../../fdms/index.ts';
import { issueToken } from '../../platform/tokens/issue-token.ts';

interface Media {
  schema: { $ref?: string };
  examples?: Record<string, { summary: string; value: unknown }>;
}
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: object[];
  parameters?: { in: string; name: string; schema: { type: string } }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { description: string; headers: object; content?: Record<string, Media> }>;
}
interface Document {
  openapi: string;
  info: { version: string; description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

const service = await serviceOfFile();
const text = (await service.app.inject('/openapi.json')).body;
const document = JSON.parse(text) as Document;

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
const operation = (id: string) => {
  const found = operations().find((candidate) => candidate.operation.operationId === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found.operation;
};

/** Formats are notes here; the rules that matter are patterns and types. */
function makeValidator(isClosed: boolean) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(isClosed ? (closeObjects(document) as object) : document, 'document');
  const compiled = new Map<string, ValidateFunction>();
  return (schema: object, value: unknown): string[] => {
    const key = JSON.stringify(schema);
    const check =
      compiled.get(key) ?? ajv.compile(rebase(isClosed ? (closeObjects(schema) as object) : schema) as object);
    compiled.set(key, check);
    return check(value) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
}

/** Made once: compiling the same schemas for every example took most of the time of these tests. */
const validators = new Map<boolean, ReturnType<typeof makeValidator>>();
function validatorOf(isClosed: boolean) {
  const validator = validators.get(isClosed) ?? makeValidator(isClosed);
  validators.set(isClosed, validator);
  return validator;
}

function rebase(node: unknown): unknown {
  return JSON.parse(JSON.stringify(node).replaceAll('"#/components', '"document#/components'));
}

/** Answers may grow, so their schemas are open; what the service answers today is all described all the same. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  const parts = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closeObjects(value)]));
  return 'properties' in parts && 'type' in parts ? { additionalProperties: false, ...parts } : parts;
}

describe('the document', () => {
  test('is valid OpenAPI 3.1 with a semantic version', async () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.info.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(document.info.description).toContain(`as Tillseal ${manifest.version} answers it`);
    expect(await new Validator().validate(JSON.parse(text))).toMatchObject({ valid: true });
  });

  test('has every route of the service, and no other', () => {
    const routes = service.routes.filter(
      (route) => !/^GET \/(docs\b|console\b|openapi\.json|llms\.txt|favicon\.ico|$)/.test(route),
    );
    expect(operations().map(({ name }) => name)).toEqual(expect.arrayContaining(routes));
    expect(operations()).toHaveLength(routes.length);
  });

  test('describes what endpoints are sent as the very answer of GET /api/events', () => {
    const { requestBody, parameters = [] } = document.webhooks['events']?.['post'] ?? operation('none');
    const sent = requestBody?.content['application/json'];
    expect(sent?.schema).toEqual(operation('listEvents').responses['200']?.content?.['application/json']?.schema);
    expect(parameters.map(({ name }) => name)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
  });

  test('has one type for a parameter of one name in the addresses', () => {
    const types = new Map<string, Set<string>>();
    for (const { operation: described } of operations()) {
      for (const { in: place, name, schema } of described.parameters ?? []) {
        if (place === 'path') types.set(name, (types.get(name) ?? new Set()).add(schema.type));
      }
    }
    expect(types.get('authorityDeviceId')).toEqual(new Set(['integer']));
    expect([...types].filter(([, found]) => found.size > 1)).toEqual([]);
  });

  test('has every number that is no count as a decimal, and the header for late receipts', () => {
    const numbers: string[] = [];
    JSON.stringify(document, (key, node: { type?: unknown; format?: unknown } | null) => {
      const isNumber = [node?.type].flat().includes('number');
      if (isNumber && node?.format !== 'decimal') numbers.push(key);
      return node;
    });
    expect(numbers).toEqual([]);
    for (const id of ['signReceipt', 'checkReceipt', 'calculateReceipt']) {
      const late = expect.objectContaining({ in: 'header', name: 'Late-Receipt' });
      expect(operation(id).parameters, id).toContainEqual(late);
    }
  });

  test('says of every operation what it is for and what it answers', () => {
    const tags = document.tags.map((tag) => tag.name);
    for (const { name, operation: described } of operations()) {
      expect(described, name).toMatchObject({
        operationId: expect.stringMatching(/./),
        summary: expect.stringMatching(/./),
        security: expect.any(Array),
      });
      expect(tags, name).toContain(described.tags[0]);
      const good = Object.keys(described.responses).filter((status) => status.startsWith('2'));
      expect(good, name).toHaveLength(1);
      for (const answer of Object.values(described.responses)) {
        expect(answer.headers).toHaveProperty('x-request-id');
        expect(Object.values(answer.content ?? {})[0]?.schema, name).toBeDefined();
      }
    }
  });

  test('names all codes, in the schema and at the statuses of signing', () => {
    const { Problem, Violation } = document.components.schemas as Record<
      string,
      { properties: { Code: { enum: string[] } } }
    >;
    expect(Problem?.properties.Code.enum.toSorted()).toEqual(Object.keys(PROBLEMS).toSorted());
    expect(Violation?.properties.Code.enum).toEqual(
      expect.arrayContaining(['RCPT010', 'RCPT048', 'DeviceUnknown', 'Required'] satisfies (RuleCode | 'Required')[]),
    );
    const signing = operation('signReceipt').responses;
    const shown = Object.values(signing).flatMap((answer) =>
      Object.keys(answer.content?.['application/problem+json']?.examples ?? {}),
    );
    const elsewhere = [
      'NotFound',
      'NoSuchAddress',
      'MethodNotAllowed',
      'NotReversible',
      'RequestTimeout',
      'HeadersTooLarge',
    ];
    expect(shown.toSorted()).toEqual(
      Object.keys(PROBLEMS)
        .filter((code) => !elsewhere.includes(code))
        .toSorted(),
    );
    expect(signing['200']?.headers).toMatchObject({ 'Idempotent-Replay': {}, 'Date-Advanced': {} });
    for (const status of ['429', '503']) expect(signing[status]?.headers).toHaveProperty('Retry-After');
  });

  test('holds only examples that its own schemas accept', () => {
    const check = validatorOf(false);
    let count = 0;
    for (const { name, operation: described } of operations()) {
      const medias = [described.requestBody, ...Object.values(described.responses)].flatMap((part) =>
        Object.values(part?.content ?? {}),
      );
      for (const media of medias) {
        for (const [key, example] of Object.entries(media.examples ?? {})) {
          expect(check(media.schema, example.value), `${name}, example ${key}`).toEqual([]);
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(60);
  });
});

describe('what it shows is what the service does', () => {
  let token: string;
  let operator: string;
  let taxpayerId: string;

  beforeAll(async () => {
    ({ token, taxpayerId } = await service.addTaxpayer());
    await service.addDevice(taxpayerId, { deviceId: 1001 });
    const issued = await issueToken(service.pool, { name: 'operator', scopes: ['admin'] });
    operator = issued.token;
  });

  const call = (method: Method, url: string, body?: unknown, other = token) =>
    service.call(url.startsWith('/api/admin') ? operator : other, method, url, body as object | undefined);

  /** The answer is one that the document describes, to the last field. */
  async function expectDescribed(id: string, answer: Awaited<ReturnType<typeof call>>, status = 200) {
    expect(answer.statusCode, answer.body).toBe(status);
    const media = Object.values(operation(id).responses[status]?.content ?? {})[0];
    expect(validatorOf(true)(media?.schema ?? {}, answer.json()), id).toEqual([]);
    return answer.json<Record<string, string>>();
  }
  const bodyExamples = (id: string) =>
    Object.entries(operation(id).requestBody?.content['application/json']?.examples ?? {});

  const exampleOf = (id: string, name: string): object =>
    Object(bodyExamples(id).find(([key]) => key === name)?.[1].value);

  test('every example of signing really signs, and is answered as described', async () => {
    expect(bodyExamples('signReceipt').length).toBeGreaterThanOrEqual(4);
    for (const [key, example] of bodyExamples('signReceipt')) {
      const answer = await call('POST', '/api/receipt/sign', example.value);
      expect(answer.statusCode, `${key}: ${answer.body}`).toBe(200);
      await expectDescribed('signReceipt', answer);
    }
  });

  test('the examples of checking and calculating are answered as described', async () => {
    for (const id of ['checkReceipt', 'calculateReceipt']) {
      const [[, example] = ['', { value: {} }]] = bodyExamples(id);
      const path = `/api/receipt/${id.replace('Receipt', '')}`;
      await expectDescribed(id, await call('POST', path, { ...Object(example.value), Reference: `NEW-${id}` }));
    }
  });

  test('a page with a slash behind it, and every link beside it, leads to a page', async () => {
    const follow = async (path: string) => {
      const answer = await service.app.inject(path);
      const { location } = answer.headers;
      return location === undefined ? answer : service.app.inject(new URL(location, `http://docs${path}`).pathname);
    };
    for (const path of ['/docs', '/docs/', '/docs/errors', '/docs/guides', '/docs/operations/alerts']) {
      const page = await follow(path);
      expect(page.statusCode, path).toBe(200);
      const [navigation = ''] = /<nav aria-label="Documentation">.*/.exec(page.body) ?? [];
      for (const [, href = ''] of navigation.matchAll(/href="([^"]*)"/g)) {
        const target = new URL(href, `http://docs${path.replace(/\/$/, '')}`).pathname;
        expect(href, path).not.toBe('');
        expect((await follow(target)).statusCode, `${path}: ${href}`).toBe(200);
      }
    }
  });

  test('the Postman collection has every operation, and its requests work', async () => {
    const collection = (await service.app.inject('/docs/postman.json')).json<{
      variable: { key: string }[];
      item: { item: { name: string; request: { method: string; url: { raw: string }; body?: { raw: string } } }[] }[];
    }>();
    const requests = collection.item.flatMap(({ item }) => item).map(({ request }) => request);
    const addresses = requests.map(({ method, url }) => `${method} ${url.raw.replace('{{baseUrl}}', '')}`);
    expect(new Set(addresses.map((address) => address.replaceAll(/:(\w+)/g, '{$1}')))).toEqual(
      new Set(operations().map(({ name }) => name)),
    );
    const used = [...JSON.stringify(collection).matchAll(/\{\{(\w+)\}\}/g)].map((found) => found[1]);
    expect(new Set(used)).toEqual(new Set(collection.variable.map(({ key }) => key)));

    const receipts = requests.filter(({ url }) => /receipt\/(sign|check|calculate)$/.test(url.raw));
    let invoice = '';
    for (const { url, body } of receipts) {
      const variables: Record<string, string> = { $guid: randomUUID(), $isoTimestamp: NOON.toISOString(), invoice };
      const text = (body?.raw ?? '').replaceAll(/\{\{([$\w]+)\}\}/g, (_all, name: string) => variables[name] ?? '');
      const path = url.raw.replace('{{baseUrl}}', '') as `/${string}`;
      const answer = await call('POST', path, JSON.parse(text));
      expect(answer.statusCode, `${path}: ${answer.body}`).toBe(200);
      if (invoice === '') invoice = answer.json<{ Reference: string }>().Reference;
    }
    expect(receipts.length).toBeGreaterThanOrEqual(6);
  });

  test('receipts and devices are answered as described', async () => {
    await expectDescribed('getReceipt', await call('GET', '/api/receipt/INV-000147'));
    await expectDescribed('listReceipts', await call('GET', '/api/receipt?Limit=2'));
    const device = await expectDescribed('getDevice', await call('GET', '/api/device/1001'));
    const { Devices } = await expectDescribed('listOwnDevices', await call('GET', '/api/device'));
    expect(Devices).toEqual([device]);
    const token = await expectDescribed('getOwnToken', await call('GET', '/api/token'));
    expect(token).toMatchObject({ Taxpayer: { DefaultHsCodes: null }, AuthorityDeviceIds: [1001] });
    await expectDescribed('getDayReport', await call('GET', '/api/device/1001/day/1/report'));
    await expectDescribed('getLive', await call('GET', '/health/live'));
    await expectDescribed('getReady', await call('GET', '/health/ready'));
  });

  test('an event has a schema by its type', () => {
    const { Event } = document.components.schemas as Record<
      string,
      { oneOf: { $ref: string }[]; discriminator: { propertyName: string; mapping: Record<string, string> } }
    >;
    expect(Event?.discriminator.propertyName).toBe('Type');
    const { mapping = {} } = Event?.discriminator ?? {};
    expect(Object.keys(mapping)).toEqual(
      expect.arrayContaining(['receipt.submitted', 'payment.failed', 'payment.flagged']),
    );
    expect(Event?.oneOf.map(({ $ref }) => $ref)).toEqual(Object.values(mapping));
  });

  test('vendors and billers are answered as described, from the examples', async () => {
    const [[, added] = []] = bodyExamples('addVendor');
    const vendor = await call('POST', '/api/admin/vendors', added?.value);
    const { VendorId } = await expectDescribed('addVendor', vendor, 201);
    const path = `/api/admin/vendors/${VendorId}`;
    await expectDescribed('getVendor', await call('GET', path));
    await expectDescribed('listVendors', await call('GET', '/api/admin/vendors'));
    await expectDescribed('rotateWebhookSecret', await call('POST', `${path}/webhook-secret`));
    const forApp = { ...exampleOf('issueToken', 'For an application server of a vendor'), VendorId };
    const issued = await call('POST', '/api/admin/tokens', forApp);
    const { Token = '', TokenId } = await expectDescribed('issueToken', issued, 201);
    await expectDescribed('listTokens', await call('GET', `/api/admin/tokens?VendorId=${VendorId}`));

    const [[, biller] = []] = bodyExamples('addBiller');
    await expectDescribed('addBiller', await call('POST', '/api/admin/billers', biller?.value), 201);
    const code = 'CITYWATER';
    await expectDescribed('grantBiller', await call('PUT', `${path}/billers/${code}`));
    await expectDescribed('listVendorBillers', await call('GET', `${path}/billers`));
    await expectDescribed('listBillers', await call('GET', '/api/payment/ListBillers', undefined, Token));
    await expectDescribed('listEvents', await call('GET', '/api/events', undefined, Token));
    await expectDescribed('getManagedBiller', await call('GET', `/api/admin/billers/${code}`));
    await expectDescribed('listManagedBillers', await call('GET', '/api/admin/billers'));
    for (const [, example] of bodyExamples('replaceBiller')) {
      await expectDescribed('replaceBiller', await call('PUT', `/api/admin/billers/${code}`, example.value));
    }
    const forBiller = await call('POST', '/api/admin/tokens', exampleOf('issueToken', 'For a biller'));
    const { Token: ofBiller = '' } = await expectDescribed('issueToken', forBiller, 201);
    const stats = `/api/payment/TargetStats?billercode=${code}`;
    await expectDescribed('targetStats', await call('GET', stats, undefined, ofBiller));
    await expectDescribed('withdrawBiller', await call('DELETE', `${path}/billers/${code}`));
    await expectDescribed('revokeToken', await call('DELETE', `/api/admin/tokens/${TokenId}`));
    for (const [, example] of bodyExamples('changeVendor')) {
      await expectDescribed('changeVendor', await call('PATCH', path, example.value));
    }
  });

  test('administration is answered as described, from the examples', async () => {
    const [[, added] = []] = bodyExamples('addTaxpayer');
    const { TaxpayerId } = await expectDescribed(
      'addTaxpayer',
      await call('POST', '/api/admin/taxpayers', added?.value),
      201,
    );
    const path = `/api/admin/taxpayers/${TaxpayerId}`;
    await expectDescribed('getTaxpayer', await call('GET', path));
    for (const [, example] of bodyExamples('changeTaxpayer')) {
      await expectDescribed('changeTaxpayer', await call('PATCH', path, example.value));
    }
    for (const [, example] of bodyExamples('changePrinting')) {
      await expectDescribed('changePrinting', await call('PATCH', `${path}/printing`, example.value));
    }
    await expectDescribed('getPrinting', await call('GET', `${path}/printing`));
    await expectDescribed('listTaxpayers', await call('GET', '/api/admin/taxpayers'));
    for (const wanted of [
      { ...exampleOf('issueToken', 'For a till with a cashier'), TaxpayerId },
      exampleOf('issueToken', 'For a program of the operators'),
    ]) {
      const { TokenId } = await expectDescribed('issueToken', await call('POST', '/api/admin/tokens', wanted), 201);
      await expectDescribed('revokeToken', await call('DELETE', `/api/admin/tokens/${TokenId}`));
    }
    await expectDescribed('listTokens', await call('GET', `/api/admin/tokens?TaxpayerId=${TaxpayerId}`));
    await expectDescribed('listTokens', await call('GET', '/api/admin/tokens'));
    for (const [, example] of bodyExamples('changeDevice')) {
      await expectDescribed('changeDevice', await call('PATCH', '/api/admin/devices/1001', example.value));
    }
    await expectDescribed('getManagedDevice', await call('GET', '/api/admin/devices/1001'));
    await expectDescribed('listDevices', await call('GET', '/api/admin/devices'));
    await expectDescribed('searchReceipts', await call('GET', '/api/admin/receipts?Limit=3'));
    await expectDescribed('getManagedReceipt', await call('GET', '/api/admin/devices/1001/receipts/1'));
    await expectDescribed('getOverview', await call('GET', '/api/admin/overview'));
    await expectDescribed('getSession', await call('GET', '/api/admin/session'));
    const [[, person] = []] = bodyExamples('addPerson');
    const { PersonId } = await expectDescribed(
      'addPerson',
      await call('POST', '/api/admin/people', person?.value),
      201,
    );
    await expectDescribed('listPeople', await call('GET', '/api/admin/people'));
    const personPath = `/api/admin/people/${PersonId}`;
    for (const [, example] of bodyExamples('changePerson')) {
      await expectDescribed('changePerson', await call('PATCH', personPath, example.value));
    }
    await expectDescribed('resetPersonPassword', await call('POST', `${personPath}/password`));
    await expectDescribed('removePerson', await call('DELETE', personPath));
    await expectDescribed('listAudit', await call('GET', '/api/admin/audit'));
    const device = '/api/admin/devices/1001';
    await expectDescribed('listDays', await call('GET', `${device}/days`));
    await expectDescribed('getManagedDayReport', await call('GET', `${device}/days/1/report`));
    await expectDescribed('verifyDevice', await call('POST', `${device}/verify`));
  });

  test('a refusal is a problem as described', async () => {
    const answer = await call('POST', '/api/receipt/sign', { Type: 'FiscalInvoice', Totl: 1 });
    expect(answer.statusCode).toBe(400);
    const schema = operation('signReceipt').responses['400']?.content?.['application/problem+json']?.schema ?? {};
    expect(validatorOf(true)(schema, answer.json())).toEqual([]);
  });
});

test('it is not sent again to whoever has it', async () => {
  const first = await service.app.inject('/openapi.json');
  const again = await service.app.inject({
    url: '/openapi.json',
    headers: { 'if-none-match': String(first.headers['etag']) },
  });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

test('a browser that asks for an icon gets one', async () => {
  const icon = await service.app.inject('/favicon.ico');
  expect([icon.statusCode, icon.headers['content-type']]).toEqual([200, 'image/svg+xml']);
});
