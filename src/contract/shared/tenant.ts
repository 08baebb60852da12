/** Whom people work for, in bodies and queries: one of these fields, or none for the installation. */
import { INSTALLATION_ROLES, TENANT_KINDS, TENANT_ROLES } from './values.ts';
import { input, Type } from './vocabulary.ts';

export const tenantFields = {
  TaxpayerId: Type.Optional(Type.Id),
  VendorId: Type.Optional(Type.Id),
  BillerCode: Type.Optional(Type.BillerCode),
  PracticeId: Type.Optional(Type.Id),
};
export const TenantQuery = input('Tenant', tenantFields);
export type TenantQuery = Type.Static<typeof TenantQuery>;

export const AnyRole = Type.oneOf([...new Set([...INSTALLATION_ROLES, ...TENANT_ROLES])], {
  description:
    'Of the installation: a viewer can look, an operator can also act on devices and receipts, an admin may do everything. Of a tenant: a viewer can look, a clerk does the daily work, an owner may do everything of the tenant.',
});

export const membershipFields = {
  Kind: Type.oneOf(TENANT_KINDS),
  Id: Type.textOrNull({ description: 'Of a biller its code; null for the installation.' }),
  Name: Type.String({ description: 'Of the tenant.' }),
};
