import type { FastifyRequest } from 'fastify';
import { peopleAccess } from '../../contract/shared/access.ts';
import type { Operation } from '../../contract/shared/operation.ts';
import { TENANT_FIELDS, type TenantKind } from '../../contract/shared/values.ts';
import type { Refusal } from '../../kernel/refusal.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { ExactJson } from '../../platform/json/exact-json.ts';
import type { Tenant } from './core/tenant.ts';

/**
 * The one place that keeps a tenant's people to what is theirs, before any handler: a parameter must name what they own, and a field
 * that names a tenant is theirs, sent or not. What lists by it then lists theirs only. An operation that is open to a kind of tenant
 * and has neither does not let the service start.
 */

/** By the parameter that names it: is $1 of the tenant $2? */
const OWNED: { readonly [Kind in TenantKind]?: Readonly<Record<string, string>> } = {
  taxpayer: {
    taxpayerId: 'select where $1::text = $2::text',
    authorityDeviceId: 'select from devices where device_id = $1::integer and taxpayer_id = $2::uuid',
    alertId: 'select from alerts where alert_id = $1::bigint and taxpayer_id = $2::uuid',
    endpointId: 'select from endpoints where endpoint_id = $1::uuid and taxpayer_id = $2::uuid',
    tokenId: 'select from tokens where token_id = $1::uuid and taxpayer_id = $2::uuid',
  },
  vendor: {
    vendorId: 'select where $1::text = $2::text',
    billerCode: 'select from vendor_billers where biller_code = $1 and vendor_id = $2::uuid and is_visible',
    billPayReference: 'select from payments where bill_pay_reference = $1 and vendor_id = $2::uuid',
    reference: 'select from payment_invoices where invoice_reference = $1 and vendor_id = $2::uuid',
    deliveryId: 'select from webhook_deliveries where delivery_id = $1::uuid and vendor_id = $2::uuid',
    endpointId: 'select from endpoints where endpoint_id = $1::uuid and vendor_id = $2::uuid',
    tokenId: 'select from tokens where token_id = $1::uuid and vendor_id = $2::uuid',
  },
  biller: {
    billerCode: 'select where $1::text = $2::text',
    billPayReference: 'select from payments where bill_pay_reference = $1 and biller_code = $2',
    endpointId: 'select from endpoints where endpoint_id = $1::uuid and biller_code = $2',
    tokenId: 'select from tokens where token_id = $1::uuid and biller_code = $2',
  },
  practice: {
    practiceId: 'select where $1::text = $2::text',
    taxpayerId: 'select from practice_taxpayers where taxpayer_id = $1::uuid and practice_id = $2::uuid',
  },
};

/** Those that are suspended: is $1 one of them? */
const SUSPENDED: { readonly [Kind in TenantKind]?: string } = {
  taxpayer: 'select from taxpayers where taxpayer_id = $1::uuid and suspended_at is not null',
  vendor: 'select from vendors where vendor_id = $1::uuid and suspended_at is not null',
};

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const NOT_YOURS: Refusal = { code: 'NotFound', detail: 'There is nothing of yours with this name or number.' };

/**
 * Undefined: it is the tenant's own. Everything else answers as what does not exist. Of a tenant that is suspended its people go on reading:
 * receipts, days and figures are theirs, and nothing is sealed or paid by that.
 */
export async function keepToTenant(
  db: Queryable,
  tenant: Tenant,
  operation: Operation,
  request: FastifyRequest,
): Promise<Refusal | undefined> {
  for (const [name, value] of Object.entries(Object(request.params))) {
    const question = OWNED[tenant.kind]?.[name];
    if (question === undefined) continue;
    const { rowCount } = await db.query(question, [String(value), tenant.id]);
    if (rowCount === 0) return NOT_YOURS;
  }
  if (!READING.has(operation.method) && (await isSuspended(db, tenant))) {
    const detail = `This ${tenant.kind} is suspended: its people can read everything and change nothing. Ask the operator of this service.`;
    return { code: 'Forbidden', detail };
  }
  const field = TENANT_FIELDS[tenant.kind];
  const body = (request.body as ExactJson | undefined)?.value;
  for (const [schema, given] of [
    [operation.query, request.query],
    [operation.body, body],
  ]) {
    if (field === undefined || !hasField(schema, field)) continue;
    const sent: unknown = Reflect.get(Object(given), field);
    if (sent !== undefined && sent !== tenant.id) return NOT_YOURS;
    Reflect.set(Object(given), field, tenant.id);
  }
  const foreign = operation.installationFields?.filter((name) => Object.hasOwn(Object(body), name)) ?? [];
  if (foreign.length === 0) return undefined;
  const Message = 'is set by the operator of this service: leave it out, or ask them';
  const errors = foreign.map((Field) => ({ Field, Code: 'UnknownField', Message }));
  return { code: 'Forbidden', detail: `${foreign.join(', ')} cannot be changed here.`, errors };
}

async function isSuspended(db: Queryable, { kind, id }: Tenant): Promise<boolean> {
  const question = SUSPENDED[kind];
  return question !== undefined && (await db.query(question, [id])).rowCount === 1;
}

/** When the service starts. */
export function checkScopes(operation: Operation): void {
  const unknown = operation.installationFields?.find((name) => !hasField(operation.body, name));
  if (unknown !== undefined) throw new Error(`${operation.method} ${operation.path} takes no ${unknown}`);
  for (const kind of Object.keys(peopleAccess(operation.access) ?? {}) as TenantKind[]) {
    const field = TENANT_FIELDS[kind];
    const isScoped =
      field === undefined ||
      hasField(operation.query, field) ||
      hasField(operation.body, field) ||
      Object.keys(OWNED[kind] ?? {}).some((name) => hasField(operation.params, name));
    if (!isScoped)
      throw new Error(`${operation.method} ${operation.path} says nothing of whose it is: no ${kind} may use it`);
  }
}

function hasField(schema: unknown, field: string): boolean {
  return Object.hasOwn(Object(Reflect.get(Object(schema), 'properties')), field);
}
