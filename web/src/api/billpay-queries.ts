import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

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
  queryOptions({
    queryKey: ['live', 'biller', billerCode],
    queryFn: ({ signal }) => call('GET /api/admin/billers/:billerCode', { params: { billerCode }, signal }),
  });

export const billerVendorsQuery = (billerCode: string) =>
  queryOptions({
    queryKey: ['live', 'biller', billerCode, 'vendors'],
    queryFn: ({ signal }) => call('GET /api/admin/billers/:billerCode/vendors', { params: { billerCode }, signal }),
  });

export const targetQuery = (billerCode: string, currency: string | undefined) =>
  queryOptions({
    queryKey: ['live', 'biller', billerCode, 'target', currency],
    queryFn: ({ signal }) =>
      call('GET /api/admin/billers/:billerCode/target', {
        params: { billerCode },
        query: currency === undefined ? {} : { Currency: currency },
        signal,
      }),
  });

export const vendorQuery = (vendorId: string) =>
  queryOptions({
    queryKey: ['vendors', vendorId],
    queryFn: ({ signal }) => call('GET /api/admin/vendors/:vendorId', { params: { vendorId }, signal }),
  });

export const vendorBillersQuery = (vendorId: string) =>
  queryOptions({
    queryKey: ['live', 'vendor', vendorId, 'billers'],
    queryFn: ({ signal }) => call('GET /api/admin/vendors/:vendorId/billers', { params: { vendorId }, signal }),
  });

export const paymentQuery = (billPayReference: string) =>
  queryOptions({
    queryKey: ['live', 'payment', billPayReference],
    queryFn: ({ signal }) =>
      call('GET /api/admin/payments/:billPayReference', { params: { billPayReference }, signal }),
  });

/** The invoice of a payment and, once it is reversed, the credit note; the invoice first. */
export const paymentInvoicesQuery = (reference: string) =>
  queryOptions({
    queryKey: ['live', 'payment', reference, 'invoices'],
    queryFn: ({ signal }) => call('GET /api/admin/invoices', { query: { BillPayReference: reference }, signal }),
    select: (page) => page.Invoices.toSorted((one, other) => other.Kind.localeCompare(one.Kind)),
  });

export const invoiceQuery = (reference: string) =>
  queryOptions({
    queryKey: ['live', 'invoice', reference],
    queryFn: ({ signal }) => call('GET /api/admin/invoices/:reference', { params: { reference }, signal }),
  });

export const deliveryQuery = (deliveryId: string) =>
  queryOptions({
    queryKey: ['live', 'delivery', deliveryId],
    queryFn: ({ signal }) => call('GET /api/admin/webhook-deliveries/:deliveryId', { params: { deliveryId }, signal }),
  });
