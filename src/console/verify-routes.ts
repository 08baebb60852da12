import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { Type } from 'typebox';
import { exportLines, findDevice, findDeviceOwner } from '../fiscal/index.ts';
import { sendProblem } from '../platform/http/problem.ts';
import { Checker, type Finding } from '../verifier/index.ts';
import type { ConsoleContext } from './context.ts';
import { DeviceId, NO_DEVICE } from './device-routes.ts';
import { closed } from './schemas.ts';
import { verifyDeviceDocumentation } from './verify-documentation.ts';

/** After this long a call answers at the end of the day it is in. */
const BUDGET_MS = 5_000;

/** Proves what is stored: with the same lines an export has, and the same proof an auditor runs on them. */
export function verifyRoutes(app: FastifyInstance, { pool, onRequest, clock }: ConsoleContext): void {
  app.post<{ Params: { authorityDeviceId: number }; Querystring: { FromDay?: number } }>(
    '/api/admin/devices/:authorityDeviceId/verify',
    {
      onRequest,
      schema: {
        documentation: verifyDeviceDocumentation,
        params: Type.Object({ authorityDeviceId: DeviceId }),
        querystring: Type.Object(
          { FromDay: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 })) },
          closed,
        ),
      },
      handler: async (request, reply) => {
        const deviceId = request.params.authorityDeviceId;
        const taxpayerId = await findDeviceOwner(pool, deviceId);
        const isKnown = taxpayerId !== undefined && (await findDevice(pool, taxpayerId, deviceId)) !== undefined;
        if (!isKnown) return sendProblem(reply, NO_DEVICE);
        return prove(pool, { taxpayerId, deviceId }, request.query.FromDay ?? 1, clock());
      },
    },
  );
}

async function prove(pool: Pool, key: { taxpayerId: string; deviceId: number }, fromDay: number, at: Date) {
  const checker = new Checker();
  const startedAt = performance.now();
  let fault: Finding | undefined;
  let nextDay: number | null = null;
  for await (const line of exportLines(pool, key, { fromDay, throughDay: undefined }, at)) {
    fault = checker.take(line.text);
    if (fault !== undefined) break;
    if (line.kind === 'day-close' && performance.now() - startedAt > BUDGET_MS) {
      nextDay = (line.fiscalDayNumber ?? 0) + 1;
      break;
    }
  }
  const proof = checker.proof();
  return {
    Holds: fault === undefined,
    AuthorityDeviceId: key.deviceId,
    FromDay: fromDay,
    Receipts: proof?.receipts ?? 0,
    LastGlobalCounter: proof?.lastGlobalCounter ?? null,
    ClosedDays: proof?.closedDays ?? 0,
    OpenDays: proof?.openDays ?? 0,
    AuthoritySignatures: proof?.evidence ?? 0,
    UnprovenSignatures: proof?.unproven ?? 0,
    Fingerprints: proof?.fingerprints ?? [],
    NextDay: nextDay,
    Fault:
      fault === undefined
        ? null
        : {
            Kind: fault.kind,
            Detail: fault.detail,
            FiscalDayNumber: fault.fiscalDayNumber ?? null,
            GlobalCounter: fault.globalCounter ?? null,
            Reference: fault.reference ?? null,
          },
  };
}
