import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as contract from '../../contract/console/operator.ts';
import { type Refusal, refused } from '../../kernel/refusal.ts';
import type { Administration } from '../../platform/http/administration.ts';
import { DEFAULT_PAGE, nextCursor, readPage } from '../../platform/http/page.ts';
import { route } from '../../platform/http/route.ts';
import { addOperator, presentOperator } from './add-operator.ts';
import { clearAllAttempts, hashEmail } from './attempt-store.ts';
import { canonicalEmail, isEmail } from './core/password-rules.ts';
import { hashPassword, newOneTimePassword } from './passwords.ts';
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

const NO_OPERATOR: Refusal = { code: 'NotFound', detail: 'There is no operator with this id.' };
const YOURSELF: Refusal = {
  code: 'InvalidRequest',
  detail: 'You cannot remove, disable or demote yourself: ask another admin, or use the operator token.',
};

/** Who may log in to the console. For admins. */
export function operatorRoutes(app: FastifyInstance, { pool, clock, guard, audited }: Administration): void {
  route(app, guard, contract.listOperators, async ({ query }) => {
    const operators = await readPage(query.Limit ?? DEFAULT_PAGE, (limit) => listOperators(pool, query.Cursor, limit));
    return {
      Operators: operators.rows.map(presentOperator),
      NextCursor: nextCursor(operators, (last) => last.operatorId),
    };
  });

  route(app, guard, contract.addOperator, async ({ request, body }) => {
    const email = canonicalEmail(body.Email);
    if (!isEmail(email)) return refusedEmail(`${email} is not an email address, such as tendai@example.com`);
    const password = newOneTimePassword();
    const added = await addOperator(pool, principalOf(request).actor, {
      email,
      name: body.Name,
      role: body.Role,
      password,
      mustChangePassword: true,
    });
    if (added === undefined) return refusedEmail(`there is an operator ${email} already`);
    return { ...added, OneTimePassword: password };
  });

  route(app, guard, contract.changeOperator, ({ request, params, body }) =>
    audited(request, async (tx) => {
      const stored = await lockOperator(tx, params.operatorId);
      if (stored === undefined) return refused(NO_OPERATOR);
      const role = body.Role ?? stored.role;
      const disabledAt =
        body.Disabled === undefined ? stored.disabledAt : body.Disabled ? (stored.disabledAt ?? clock()) : null;
      if (isSelf(request, stored) && (disabledAt !== null || role !== stored.role)) return refused(YOURSELF);
      const changed = { ...stored, name: body.Name ?? stored.name, role, disabledAt };
      await updateOperator(tx, changed);
      if (disabledAt !== null) await endSessions(tx, stored.operatorId);
      const after = presentOperator(changed);
      return { action: 'operator.changed', ...subjectOf(stored), after, answer: after };
    }),
  );

  route(app, guard, contract.resetOperatorPassword, async ({ request, params }) => {
    const OneTimePassword = newOneTimePassword();
    const passwordHash = await hashPassword(OneTimePassword);
    return audited(request, async (tx) => {
      const stored = await lockOperator(tx, params.operatorId);
      if (stored === undefined) return refused(NO_OPERATOR);
      await setPassword(tx, stored.operatorId, passwordHash, true);
      await endSessions(tx, stored.operatorId);
      await clearAllAttempts(tx, hashEmail(stored.email));
      const after = presentOperator({ ...stored, mustChangePassword: true });
      const answer = { ...after, OneTimePassword };
      return { action: 'operator.password-reset', ...subjectOf(stored), after, answer };
    });
  });

  route(app, guard, contract.removeOperator, ({ request, params }) =>
    audited(request, async (tx) => {
      const stored = await lockOperator(tx, params.operatorId);
      if (stored === undefined) return refused(NO_OPERATOR);
      if (isSelf(request, stored)) return refused(YOURSELF);
      await removeOperator(tx, stored.operatorId);
      return { action: 'operator.removed', ...subjectOf(stored), answer: presentOperator(stored) };
    }),
  );
}

function isSelf(request: FastifyRequest, { operatorId }: OperatorRecord): boolean {
  return principalOf(request).session?.operatorId === operatorId;
}

function subjectOf(stored: OperatorRecord) {
  return { subject: `operator ${stored.email}`, before: presentOperator(stored) };
}

function refusedEmail(Message: string) {
  const errors = [{ Field: 'Email', Code: 'Malformed', Message }];
  return refused({ code: 'InvalidRequest', detail: 'The operator has errors.', errors });
}
