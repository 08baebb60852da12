import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { DeviceId } from '../contract/device.ts';
import {
  attachRenderer,
  findDeviceOwner,
  findReceipt,
  findReference,
  type PrintQuery,
  PrintQuerySchema,
  printReceipt,
  sendPrinted,
} from '../fiscal/index.ts';
import { sendProblem } from '../platform/http/problem.ts';
import type { ConsoleContext } from './context.ts';
import { printManagedReceiptDocumentation } from './receipt-documentation.ts';

interface ReceiptParams {
  authorityDeviceId: number;
  globalCounter: number;
}

/** Any receipt as it prints. Named by device and number: two taxpayers may have used the same reference. */
export function receiptPrintRoutes(app: FastifyInstance, { pool, allow }: ConsoleContext): void {
  const context = { pool, renderer: attachRenderer(app) };
  app.get<{ Params: ReceiptParams; Querystring: PrintQuery }>(
    '/api/admin/devices/:authorityDeviceId/receipts/:globalCounter/print',
    {
      onRequest: allow('viewer'),
      schema: {
        documentation: printManagedReceiptDocumentation,
        params: Type.Object({ authorityDeviceId: DeviceId, globalCounter: DeviceId }),
        querystring: PrintQuerySchema,
      },
      handler: async (request, reply) => {
        const { authorityDeviceId: deviceId, globalCounter } = request.params;
        const taxpayerId = await findDeviceOwner(pool, deviceId);
        const reference = taxpayerId && (await findReference(pool, { taxpayerId, deviceId, globalCounter }));
        const stored = taxpayerId && reference && (await findReceipt(pool, taxpayerId, reference));
        if (!stored) {
          const detail = `There is no receipt ${globalCounter} of device ${deviceId}.`;
          return sendProblem(reply, { code: 'NotFound', detail });
        }
        return sendPrinted(
          reply,
          await printReceipt(context, stored, request.query, () => !request.socket.destroyed),
          `${deviceId}-${globalCounter}`,
        );
      },
    },
  );
}
