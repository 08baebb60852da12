import { INSTALLATION_ROLES, type InstallationRole, type TenantKind, type TenantRole } from './values.ts';

/** People, by whom they work for: the lowest role that may. Where a kind is missing, nobody of it may. */
export type PeopleAccess = { readonly installation: InstallationRole } & {
  readonly [Kind in Exclude<TenantKind, 'installation'>]?: TenantRole;
};

/** Of the installation its admins, of every tenant its owners. */
export const OWNERS = {
  installation: 'admin',
  taxpayer: 'owner',
  vendor: 'owner',
  biller: 'owner',
  practice: 'owner',
} as const satisfies PeopleAccess;

/** Who may: a token by its tenant and scope, or people. */
export type Access =
  | 'anybody'
  | 'taxpayer that signs'
  | 'taxpayer that reads'
  /** Any token of a taxpayer. */
  | 'taxpayer'
  | 'vendor that pays'
  | 'vendor that reads'
  | 'vendor or biller that reads'
  | 'tenant that reads'
  | 'tenant that registers endpoints'
  /** Whoever is logged in, about themselves: also before the second factor, and where that has been given or there is none. */
  | 'any session'
  | 'proven session'
  /** Of the installation, and nobody else. An operator's token has the role admin. */
  | InstallationRole
  | PeopleAccess;

/** Undefined where it is not for people by their role. */
export function peopleAccess(access: Access): PeopleAccess | undefined {
  if (typeof access === 'object') return access;
  const installation = INSTALLATION_ROLES.find((role) => role === access);
  return installation && { installation };
}
