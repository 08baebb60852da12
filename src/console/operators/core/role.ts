/**
 * What an operator may do, each role including the one before: a viewer looks, an operator acts on devices and receipts,
 * an admin decides who else may do anything (tokens, taxpayers, operators, keys).
 */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text);
}

export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
