import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { Refusal } from '../../kernel/refusal.ts';
import { recordAudit } from '../../platform/audit.ts';
import { inTransaction, type Transaction } from '../../platform/database.ts';
import { bodyOf } from '../../platform/http/body.ts';
import { readPage } from '../../platform/http/page.ts';
import { sendProblem } from '../../platform/http/problem.ts';
import { actorOf, type ConsoleContext } from '../context.ts';
import { closed, DEFAULT_PAGE, Id, nextCursor, page } from '../schemas.ts';
import { addOperator } from './add-operator.ts';
import { clearAllAttempts, hashEmail } from './attempt-store.ts';
import { canonicalEmail, isEmail } from './core/password-rules.ts';
import { isRole, ROLES } from './core/role.ts';
import {
  addOperatorDocumentation,
  changeOperatorDocumentation,
  listOperatorsDocumentation,
  removeOperatorDocumentation,
  resetPasswordDocumentation,
} from './operator-documentation.ts';
import { hashPassword, newOneTimePassword } from './passwords.ts';
import { presentOperator } from './present-operator.ts';
import { principalOf } from './principal.ts';
import { endSessions } from './session-store.ts';
import {
  listOperators,
  lockOperator,
  type OperatorRecord,
  removeOperator,
  setPassword,
  updateOperator,
} from './store.ts';

const Name = Type.String({ minLength: 1, maxLength: 100 });
const RoleName = Type.String({ enum: ROLES });
const NewOperator = Type.Object(
  { Email: Type.String({ maxLength: 320 }), Name, Role: RoleName },
  { ...closed, title: 'NewOperator' },
);
const OperatorChange = Type.Partial(Type.Object({ Name, Role: RoleName, Disabled: Type.Boolean() }), {
  ...closed,
  title: 'OperatorChange',
});

type Params = { operatorId: string };
const params = Type.Object({ operatorId: Id });

const NO_OPERATOR: Refusal = { code: 'NotFound', detail: 'There is no operator with this id.' };
const YOURSELF: Refusal = {
  code: 'InvalidRequest',
  detail: 'Nobody can remove, disable or demote themselves: ask another admin, or use the operator token.',
};

/** Who may log in to the console. For admins. */
export function operatorRoutes(app: FastifyInstance, { pool, clock, allow }: ConsoleContext): void {
  app.get<{ Querystring: { Limit?: number; Cursor?: string } }>('/api/admin/operators', {
    onRequest: allow('admin'),
    schema: {
      querystring: Type.Object({ ...page, Cursor: Type.Optional(Id) }, closed),
      documentation: listOperatorsDocumentation,
    },
    handler: async (request) => {
      const limit = request.query.Limit ?? DEFAULT_PAGE;
      const operators = await readPage(limit, (most) => listOperators(pool, request.query.Cursor, most));
      return {
        Operators: operators.rows.map(presentOperator),
        NextCursor: nextCursor(operators, (last) => last.operatorId),
      };
    },
  });

  app.post('/api/admin/operators', {
    onRequest: allow('admin'),
    schema: { body: NewOperator, documentation: addOperatorDocumentation },
    handler: async (request, reply) => {
      const body = bodyOf<Static<typeof NewOperator>>(request);
      const email = canonicalEmail(body.Email);
      if (!isEmail(email)) return refuseEmail(reply, `${email} is no email, such as tendai@example.com`);
      const password = newOneTimePassword();
      const added = await addOperator(pool, actorOf(request).actor, {
        email,
        name: body.Name,
        role: isRole(body.Role) ? body.Role : 'viewer',
        password,
        mustChangePassword: true,
      });
      if (added === undefined) return refuseEmail(reply, `there is an operator ${email} already`);
      return reply.code(201).send({ ...presentOperator(added), OneTimePassword: password });
    },
  });

  /** Does the work on a locked operator with its audit entry, unless an operator does it to themselves. */
  async function act(
    request: FastifyRequest<{ Params: Params }>,
    reply: FastifyReply,
    action: string,
    work: (tx: Transaction, operator: OperatorRecord) => Promise<OperatorRecord | undefined>,
  ) {
    const { operatorId } = request.params;
    const isSelf = principalOf(request).session?.operatorId === operatorId;
    const done = await inTransaction(pool, async (tx) => {
      const before = await lockOperator(tx, operatorId);
      if (before === undefined) return undefined;
      const after = await work(tx, before);
      const isWeaker = after === undefined || after.disabledAt !== null || after.role !== before.role;
      if (isSelf && isWeaker) throw new RefusedToSelf();
      await recordAudit(tx, {
        ...actorOf(request),
        action,
        taxpayerId: undefined,
        subject: `operator ${before.email}`,
        before: presentOperator(before),
        after: after && presentOperator(after),
      });
      return presentOperator(after ?? before);
    }).catch((error: unknown) => {
      if (error instanceof RefusedToSelf) return YOURSELF;
      throw error;
    });
    if (done !== undefined && !('code' in done)) return done;
    sendProblem(reply, done ?? NO_OPERATOR);
    return undefined;
  }

  app.patch<{ Params: Params }>('/api/admin/operators/:operatorId', {
    onRequest: allow('admin'),
    schema: { params, body: OperatorChange, documentation: changeOperatorDocumentation },
    handler: async (request, reply) => {
      const change = bodyOf<Static<typeof OperatorChange>>(request);
      const changed = await act(request, reply, 'operator.changed', async (tx, before) => {
        const role = change.Role !== undefined && isRole(change.Role) ? change.Role : before.role;
        const disabledAt =
          change.Disabled === undefined ? before.disabledAt : change.Disabled ? (before.disabledAt ?? clock()) : null;
        const after = { ...before, name: change.Name ?? before.name, role, disabledAt };
        await updateOperator(tx, after);
        if (disabledAt !== null) await endSessions(tx, before.operatorId);
        return after;
      });
      return changed ?? reply;
    },
  });

  app.post<{ Params: Params }>('/api/admin/operators/:operatorId/password', {
    onRequest: allow('admin'),
    schema: { params, documentation: resetPasswordDocumentation },
    handler: async (request, reply) => {
      const password = newOneTimePassword();
      const passwordHash = await hashPassword(password);
      const changed = await act(request, reply, 'operator.password-reset', async (tx, before) => {
        await setPassword(tx, before.operatorId, passwordHash, true);
        await endSessions(tx, before.operatorId);
        await clearAllAttempts(tx, hashEmail(before.email));
        return { ...before, mustChangePassword: true };
      });
      return changed === undefined ? reply : { ...changed, OneTimePassword: password };
    },
  });

  app.delete<{ Params: Params }>('/api/admin/operators/:operatorId', {
    onRequest: allow('admin'),
    schema: { params, documentation: removeOperatorDocumentation },
    handler: async (request, reply) => {
      const removed = await act(request, reply, 'operator.removed', async (tx, before) => {
        await removeOperator(tx, before.operatorId);
        return undefined;
      });
      return removed ?? reply;
    },
  });
}

class RefusedToSelf extends Error {
  override readonly name = 'RefusedToSelf';
}

function refuseEmail(reply: FastifyReply, Message: string): FastifyReply {
  const errors = [{ Field: 'Email', Code: 'Malformed', Message }];
  return sendProblem(reply, { code: 'InvalidRequest', detail: 'The operator has errors.', errors });
}
