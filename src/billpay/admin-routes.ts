import type { FastifyInstance } from 'fastify';
import { billerAdminRoutes } from './billers/admin-routes.ts';
import { targetAdminRoutes } from './billers/target-routes.ts';
import { type CallbackAdministration, callbackAdminRoutes } from './callback/admin-routes.ts';
import { feedAdminRoutes } from './feed/routes.ts';
import { invoiceAdminRoutes } from './invoices/admin-routes.ts';
import { type PaymentAdministration, paymentAdminRoutes } from './payments/admin-routes.ts';
import { type VendorAdministration, vendorAdminRoutes } from './vendors/admin-routes.ts';

export interface BillpayAdministration extends PaymentAdministration, VendorAdministration, CallbackAdministration {}

/** What operators can do with bill payments, noun by noun. */
export function billpayAdminRoutes(app: FastifyInstance, context: BillpayAdministration): void {
  vendorAdminRoutes(app, context);
  billerAdminRoutes(app, context);
  targetAdminRoutes(app, context);
  feedAdminRoutes(app, context);
  paymentAdminRoutes(app, context);
  invoiceAdminRoutes(app, context);
  callbackAdminRoutes(app, context);
}
