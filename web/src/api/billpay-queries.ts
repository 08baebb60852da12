import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { live } from './queries.ts';

/** For choosing among them; lists of their own pages go on with a cursor. */
export const vendorsQuery = queryOptions({
  queryKey: ['vendors'],
  queryFn: ({ signal }) => call('GET /api/admin/vendors', { query: { Limit: 200 }, signal }),
  select: (page) => page.Vendors,
});

export const billersQuery = queryOptions({
  queryKey: ['billers'],
  queryFn: ({ signal }) => call('GET /api/admin/billers', { query: { Limit: 200 }, signal }),
  select: (page) => page.Billers,
});

export const billerQuery = (billerCode: string) =>
  live('GET /api/admin/billers/:billerCode', { params: { billerCode } });

export const billerVendorsQuery = (billerCode: string) =>
  live('GET /api/admin/billers/:billerCode/vendors', { params: { billerCode } });

export const targetQuery = (billerCode: string, currency: string | undefined) =>
  live('GET /api/admin/billers/:billerCode/target', {
    params: { billerCode },
    query: currency === undefined ? {} : { Currency: currency },
  });

export const vendorQuery = (vendorId: string) => live('GET /api/admin/vendors/:vendorId', { params: { vendorId } });

export const vendorBillersQuery = (vendorId: string) =>
  live('GET /api/admin/vendors/:vendorId/billers', { params: { vendorId } });

export const paymentQuery = (billPayReference: string) =>
  live('GET /api/admin/payments/:billPayReference', { params: { billPayReference } });

/** The invoice of a payment and, once it is reversed, the credit note; the invoice first. */
export const paymentInvoicesQuery = (reference: string) =>
  queryOptions({
    ...live('GET /api/admin/invoices', { query: { BillPayReference: reference } }),
    select: (page) => page.Invoices.toSorted((one, other) => other.Kind.localeCompare(one.Kind)),
  });

export const invoiceQuery = (reference: string) =>
  live('GET /api/admin/invoices/:reference', { params: { reference } });

export const deliveryQuery = (deliveryId: string) =>
  live('GET /api/admin/webhook-deliveries/:deliveryId', { params: { deliveryId } });
