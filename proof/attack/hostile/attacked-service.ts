import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { addVendor } from '../../../src/billpay/index.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { inTransaction } from '../../../src/platform/database/database.ts';
import { issueToken } from '../../../src/platform/tokens/issue-token.ts';
import { addOperator } from '../../../test/support/local-shop.ts';
import {
  createTestService,
  type ServiceChoices,
  type TestService,
  type TestTaxpayer,
} from '../../../test/support/service.ts';
import { type Answer, type Attempt, send } from './send.ts';

export interface Route {
  readonly name: string;
  readonly method: string;
  /** With `{parameter}` as in the OpenAPI document. */
  readonly template: string;
  readonly isPublic: boolean;
  readonly hasBody: boolean;
  /** Which token opens it. */
  readonly scope: 'admin' | 'sign' | 'read' | 'pay' | 'read payments';
}

/** An eighth: each route gets a few attacks, and together they get all. `npm run proof -- attack` sends any to any. */
export function eighth(routes: readonly Route[], turn: number): readonly Route[] {
  return routes.filter((_route, index) => index % 8 === turn % 8);
}

/** Everything the process serves, on a real socket. */
export interface AttackedService {
  readonly service: TestService;
  readonly port: number;
  /** Every route of the OpenAPI document: one that is added is attacked too. */
  readonly routes: readonly Route[];
  /** `METHOD /path/{parameter}` of whatever is served, pages and files included. */
  readonly everything: readonly string[];
  readonly shop: TestTaxpayer;
  readonly operator: string;
  readonly vendorId: string;
  tokenFor(route: Route): string;
  send(attempt: Attempt): Promise<Answer>;
  close(): Promise<void>;
}

export async function attackedService(choices: ServiceChoices = {}): Promise<AttackedService> {
  const service = await createTestService(choices);
  const { pool, masterKeys, clock, app } = service;
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  const shop = await service.addTaxpayer();
  const operator = await addOperator(pool);
  const vendorId = newId();
  const vendor = await inTransaction(pool, async (tx) => {
    await addVendor(tx, masterKeys, { vendorId, vendorCode: 'VENDOR', name: 'Vendor' }, clock());
    return issueToken(tx, { vendorId, name: 'app', scopes: ['pay', 'read', 'endpoints'] });
  });
  const routes = routesOf((await app.inject('/openapi.json')).json());
  expect(routes.length).toBeGreaterThan(25);
  return {
    service,
    port,
    routes,
    everything: service.routes,
    shop,
    operator,
    vendorId,
    tokenFor: (route) => {
      if (route.scope === 'admin') return operator;
      return isOfVendor(route) ? vendor.token : shop.token;
    },
    send: (attempt) => send(port, attempt),
    close: async () => {
      app.server.closeAllConnections();
      await service.close();
    },
  };
}

/** Whether it takes a vendor's token, and no other. */
export function isOfVendor({ scope }: Route): boolean {
  return scope === 'pay' || scope === 'read payments';
}

interface Document {
  readonly paths: Record<
    string,
    Record<string, { readonly security: readonly object[]; readonly requestBody?: object }>
  >;
}

function routesOf({ paths }: Document): Route[] {
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([name, operation]): Route => {
      const method = name.toUpperCase();
      return {
        name: `${method} ${template}`,
        method,
        template,
        isPublic: operation.security.length === 0,
        hasBody: operation.requestBody !== undefined,
        scope: scopeOf(method, template),
      };
    }),
  );
}

function scopeOf(method: string, template: string): Route['scope'] {
  if (template.startsWith('/api/admin')) return 'admin';
  if (template.startsWith('/api/payment/')) return method === 'POST' ? 'pay' : 'read payments';
  return method === 'GET' ? 'read' : 'sign';
}

const NOBODY = '00000000-0000-4000-8000-000000000000';

/** The route's path with parameters that are well formed and name nothing, or with `value` in place of each. */
export function pathOf(route: Route, value?: string): string {
  return route.template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    if (value !== undefined) return value;
    return ['taxpayerId', 'tokenId', 'vendorId', 'endpointId'].includes(name) ? NOBODY : '999999';
  });
}

/** Refused or closed, soon, in our own words and under our headers. Never a failure of the service. */
export function expectRefused(answer: Answer, what: string): void {
  expect(answer.status === 'closed' || (answer.status >= 400 && answer.status < 500), describe(answer, what)).toBe(
    true,
  );
  expectSafe(answer, what);
}

/** For what a route may well take: anything but a failure, with the headers every answer has. */
export function expectSafe(answer: Answer, what: string): void {
  expect(answer.workedMs, `${what} took long`).toBeLessThan(10_000);
  if (answer.status === 'closed') return;
  expect(answer.status, describe(answer, what)).toBeLessThan(500);
  expectSecurityHeaders(answer, what);
  if (answer.status < 400 || answer.body === '') return;
  expect(answer.headers['content-type'], what).toBe('application/problem+json; charset=utf-8');
  const problem = JSON.parse(answer.body) as { readonly status: number; readonly requestId: string };
  expect(problem.status, what).toBe(answer.status);
  expect(problem.requestId, what).toBe(answer.headers['x-request-id']);
}

export function expectSecurityHeaders({ headers }: Answer, what: string): void {
  expect(headers['content-security-policy'], what).toMatch(/^default-src 'none'.*frame-ancestors 'none'/);
  expect(headers['x-content-type-options'], what).toBe('nosniff');
  expect(headers['referrer-policy'], what).toBe('no-referrer');
  expect(headers['cache-control'], what).toBeDefined();
  expect(headers['x-request-id'], what).toMatch(/^[0-9a-f-]{36}$/);
}

function describe(answer: Answer, what: string): string {
  return `${what}: ${answer.status} ${answer.body.slice(0, 300)}`;
}
