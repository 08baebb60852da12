import { type Role, rolesOf } from '../../../contract/shared/values.ts';
import { readInstant } from '../../../kernel/instant.ts';
import { type Refused, refused, type Violation } from '../../../kernel/refusal.ts';
import { isEmail } from './password-rules.ts';
import type { Tenant } from './tenant.ts';

/** On which somebody is let in: a role that the tenant has, and perhaps an end. */
export function termErrors(
  { kind }: Tenant,
  { role, expiresAt: text }: { readonly role: Role | undefined; readonly expiresAt: string | null | undefined },
  field: string,
  now: Date,
): Violation[] {
  const roles = rolesOf(kind);
  const errors: Violation[] = [];
  if (role !== undefined && !roles.includes(role)) {
    errors.push({ Field: 'Role', Code: 'NotOneOf', Message: `Role must be one of ${roles.join(', ')}` });
  }
  const expiresAt = dateOf(text);
  if (text != null && (expiresAt === null || expiresAt <= now)) {
    const Message = 'must be a date and time in the future with Z or an offset, such as 2027-01-31T00:00:00Z';
    errors.push({ Field: field, Code: 'Malformed', Message });
  }
  return errors;
}

export function dateOf(text: string | null | undefined): Date | null {
  return text == null ? null : (readInstant(text) ?? null);
}

export function emailErrors(email: string): Violation[] {
  const Message = `${email} is not an email address, such as tendai@example.com`;
  return isEmail(email) ? [] : [{ Field: 'Email', Code: 'Malformed', Message }];
}

export function wrongPerson(errors: readonly Violation[]): Refused {
  return refused({ code: 'InvalidRequest', detail: 'The person has errors.', errors });
}
