import type { AddressInfo } from 'node:net';
import type { Access } from '../../src/contract/shared/access.ts';
import { addOperator } from '../../test/support/local-shop.ts';
import { createTestService, type ServiceChoices, type TestService } from '../../test/support/service.ts';
import { checkAnswer } from './answer/check-answer.ts';
import type { Attempt } from './request/attempt.ts';
import { inTurns, type RawAnswer, send } from './request/send.ts';
import { bearer, type Headers, type Parties } from './world/credentials.ts';
import { areaOf, type Known, type Operation, readDocument } from './world/document.ts';
import { makeTenants } from './world/tenants.ts';

/** Everything the process serves, on a real socket, with two tenants of each kind. */
export interface AttackedService extends Parties {
  readonly service: TestService;
  readonly port: number;
  readonly url: string;
  /** Every operation of the contract: one that is added is attacked too. */
  readonly operations: readonly Operation[];
  /** A good request, but for what is hostile in it. */
  to(operation: Operation, hostile?: Hostile): Attempt;
  /** What is wrong with an answer. */
  faults(attempt: Attempt, answer: RawAnswer, must?: Must, operation?: Operation): string[];
  /** Sends it to each of them, and resolves with what is wrong with the answers. */
  attack(operations: readonly Operation[], plan: (operation: Operation) => Hostile | undefined): Promise<string[]>;
  send(attempt: Attempt): Promise<RawAnswer>;
  /** As somebody with this token, or with none. */
  ask(...request: Parameters<typeof plain>): Promise<RawAnswer>;
  close(): Promise<void>;
}

/** What becomes of it, or the statuses it may have; 0 is none. Unless it says otherwise, anything but a failure of the service. */
export type Must = 'be refused' | 'be told so' | readonly number[] | undefined;

export interface Hostile {
  readonly must?: Must;
  readonly method?: string;
  /** In place of each parameter of the path. Without it they are well formed and name nothing. */
  readonly parameter?: string;
  /** Behind the path. */
  readonly tail?: string;
  readonly body?: string | Uint8Array | undefined;
  /** `application/json` unless it says otherwise. */
  readonly type?: string;
  readonly headers?: Headers;
  /** In place of those that open the operation. */
  readonly credentials?: Headers;
}

/** JSON as it should be, for attacks on what surrounds it. */
export const PLAIN_BODY = '{"Unknown":1}';
const NOBODY = '00000000-0000-4000-8000-000000000000';
/** A service that works for longer than this could be kept from others. */
const MAX_WORK_MS = 10_000;

export async function attackedService(choices: ServiceChoices = {}): Promise<AttackedService> {
  const service = await createTestService(choices);
  const { app, pool, masterKeys, now } = service;
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const installation = { pool, masterKeys, now };
  const [own, others, operator] = [
    await makeTenants(installation, 'Abacus'),
    await makeTenants(installation, 'Zeppelin'),
    await addOperator(pool),
  ];
  const known: Known = { document: await readDocument(`${url}/openapi.json`), isOfOthers: /Abacus/ };
  const { operations } = known.document;

  const opening = (access: Access): Headers => {
    const area = areaOf(access);
    return bearer(area === 'admin' ? operator : area === 'payments' ? own.app : own.till);
  };
  const to: AttackedService['to'] = (operation, hostile = {}) => {
    const { method = operation.method, parameter, tail = '', body, headers = [] } = hostile;
    const type = hostile.type ?? (body === undefined ? '' : 'application/json');
    const path = operation.template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
      if (parameter !== undefined) return parameter;
      return ['taxpayerId', 'tokenId', 'vendorId', 'endpointId'].includes(name) ? NOBODY : '999999';
    });
    return {
      operationId: operation.id,
      kind: '',
      method,
      path: path + tail,
      headers: [
        ...(hostile.credentials ?? opening(operation.access)),
        ...(type === '' ? [] : [['Content-Type', type] as const]),
        ...headers,
      ],
      body: body === undefined ? undefined : Buffer.from(body),
      isAddressed: method === operation.method && parameter === undefined && (tail === '' || tail.startsWith('?')),
      isSnooping: false,
    };
  };
  const faults: AttackedService['faults'] = (attempt, answer, must, operation) => {
    const { status } = answer;
    const what = `${attempt.method} ${attempt.path.slice(0, 80)}: ${status}`;
    return [
      ...(isMet(must, status) ? [] : [`must ${String(must)}: ${answer.body.toString('utf8').slice(0, 300)}`]),
      ...(answer.workedMs < MAX_WORK_MS ? [] : [`worked for ${answer.workedMs} ms`]),
      ...(status === 0 ? [] : checkAnswer(attempt, answer, operation, known)),
    ].map((fault) => `${what}, ${fault}`);
  };
  return {
    ...installation,
    service,
    port,
    url,
    operations,
    own,
    others,
    operator,
    to,
    faults,
    attack: async (attacked, plan) => {
      const found: string[] = [];
      await inTurns(attacked, async (operation) => {
        const hostile = plan(operation);
        if (hostile === undefined) return;
        const attempt = to(operation, hostile);
        found.push(...faults(attempt, await send(port, attempt), hostile.must, operation));
      });
      return found;
    },
    send: (attempt) => send(port, attempt),
    ask: (...request) => send(port, plain(...request)),
    close: async () => {
      app.server.closeAllConnections();
      await service.close();
    },
  };
}

function isMet(must: Must, status: number): boolean {
  if (must === undefined) return true;
  if (typeof must === 'object') return must.includes(status);
  return (status >= 400 && status < 500) || (status === 0 && must === 'be refused');
}

/** A request that is meant for no operation in particular. */
export function plain(path: string, token?: string, body?: object): Attempt {
  const type: Headers = body === undefined ? [] : [['Content-Type', 'application/json']];
  const headers = [...(token === undefined ? [] : bearer(token)), ...type];
  const method = body === undefined ? 'GET' : 'POST';
  const text = body && Buffer.from(JSON.stringify(body));
  return { operationId: '', kind: '', method, path, headers, body: text, isAddressed: false, isSnooping: false };
}

/** An eighth: each operation gets a few attacks, and together they get all. `npm run proof -- attack` sends any to any. */
export function eighth(operations: readonly Operation[], turn: number): readonly Operation[] {
  return operations.filter((_operation, index) => index % 8 === turn % 8);
}
