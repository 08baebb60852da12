import type { FastifyInstance } from 'fastify';
import type { TaxRounding } from '../kernel/tax.ts';
import type { Administration } from '../platform/http/administration.ts';
import { alertAdminRoutes } from './alerts/admin-routes.ts';
import { monthRoutes } from './days/month-routes.ts';
import { dayAdminRoutes } from './days/routes.ts';
import { deviceAdminRoutes } from './devices/admin-routes.ts';
import type { DeviceWork } from './devices/device-work-routes.ts';
import { printingAdminRoutes } from './printing/admin-routes.ts';
import { receiptAdminRoutes } from './receipts/admin-routes.ts';
import { creditRoutes } from './receipts/credit-invoice.ts';
import type { Sign } from './receipts/sign-receipt.ts';
import type { RegistrationContext } from './registration/register-with-authority.ts';
import { registrationRoutes } from './registration/routes.ts';
import type { Sending } from './submission/sending.ts';
import { taxpayerAdminRoutes } from './taxpayers/admin-routes.ts';

export interface FiscalAdministration extends Administration, DeviceWork, RegistrationContext {
  /** Of the moments in a table for spreadsheets. */
  readonly timeZone: string;
  readonly sending: Sending;
  readonly sign: Sign;
  readonly taxRounding: TaxRounding;
}

/** What operators can do with signing, noun by noun. */
export function fiscalAdminRoutes(app: FastifyInstance, context: FiscalAdministration): void {
  taxpayerAdminRoutes(app, context);
  printingAdminRoutes(app, context);
  deviceAdminRoutes(app, context);
  registrationRoutes(app, context);
  dayAdminRoutes(app, context);
  monthRoutes(app, context);
  alertAdminRoutes(app, context);
  receiptAdminRoutes(app, context);
  creditRoutes(app, context);
}
