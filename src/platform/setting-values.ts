import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isZone } from '../kernel/zone.ts';
import { StartRefusal } from './start-refusal.ts';

const EXAMPLE = 'https://tillseal.example.com';

/** What a setting may be. Refuses anything else with one line that names the setting, what it got and what it takes. */

export function yesOrNo(name: string, text: string | undefined, otherwise: boolean): boolean {
  return oneOf(name, text ?? String(otherwise), ['true', 'false'] as const) === 'true';
}

export function wholeNumber(name: string, text: string, minimum: number, maximum: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= minimum && value <= maximum) return value;
  throw new StartRefusal(`${name} must be a whole number from ${minimum} to ${maximum}, got "${text}".`);
}

export function oneOf<const T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text);
  if (found !== undefined) return found;
  throw new StartRefusal(
    `${name} must be ${name === 'ROLES' ? 'some' : 'one'} of ${allowed.join(', ')}, got "${text}".`,
  );
}

export function zoneName(name: string, text: string): string {
  if (isZone(text)) return text;
  throw new StartRefusal(`${name} must be an IANA time zone such as Africa/Harare, got "${text}".`);
}

export function webAddress(name: string, text: string | undefined, example = EXAMPLE): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text.replace(/\/+$/, '');
  throw new StartRefusal(`${name} must be an address such as ${example}, got "${text}".`);
}

/** Addresses, or networks with their length, separated by commas. */
export function addressList(name: string, text: string | undefined): readonly string[] {
  const addresses = text?.split(',').map((one) => one.trim()) ?? [];
  const wrong = addresses.find((one) => isIP(one.replace(/\/\d{1,3}$/, '')) === 0);
  if (wrong === undefined) return addresses;
  throw new StartRefusal(`${name} must be addresses such as 203.0.113.17,203.0.113.32/28, got "${wrong}".`);
}

/** SMTP_URL and MAIL_FROM. */
export interface MailSettings {
  readonly url: string;
  readonly from: string;
}

/** Both or none: a message needs a sender that its server lets through. */
export function mailServer(url: string | undefined, from: string | undefined): MailSettings | undefined {
  if (url === undefined && from === undefined) return undefined;
  const { protocol = '', hostname = '' } = URL.canParse(url ?? '') ? new URL(url ?? '') : {};
  // Never shown: it has a password.
  if (url === undefined || !/^smtps?:$/.test(protocol) || hostname === '')
    throw new StartRefusal('SMTP_URL must be an address such as smtp://user:password@mail.example.com:587.');
  if (from !== undefined && /^[^\s<>]+@[\w.-]+$|^[^<>\n]+ <[^\s<>]+@[\w.-]+>$/.test(from)) return { url, from };
  throw new StartRefusal(
    `MAIL_FROM must be a mail address such as tillseal@example.com or Tillseal <tillseal@example.com>, got "${from ?? ''}".`,
  );
}

/** OIDC_ISSUER and what belongs to it. */
export interface OpenIdSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client, which has only PKCE. */
  readonly clientSecret: string | undefined;
  /** What people call it. */
  readonly name: string;
  /** Whose values grant memberships; undefined: nothing does. */
  readonly rolesClaim: string | undefined;
}

/** Encrypted, or on this machine. */
export function isSafeProvider({ protocol, hostname }: URL): boolean {
  if (protocol === 'http:') return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return protocol === 'https:';
}

export function openIdProvider(given: (name: string) => string | undefined): OpenIdSettings | undefined {
  const issuer = given('OIDC_ISSUER');
  const clientId = given('OIDC_CLIENT_ID');
  const secretFile = given('OIDC_CLIENT_SECRET_FILE');
  const clientSecret = given('OIDC_CLIENT_SECRET') ?? (secretFile && secretIn('OIDC_CLIENT_SECRET_FILE', secretFile));
  const [name, rolesClaim] = [given('OIDC_NAME'), given('OIDC_ROLES_CLAIM')];
  if (issuer === undefined && clientId === undefined) return undefined;
  const url = URL.canParse(issuer ?? '') ? new URL(issuer ?? '') : undefined;
  if (issuer === undefined || url === undefined || !isSafeProvider(url))
    throw new StartRefusal(
      `OIDC_ISSUER must be the https address of an OpenID provider, such as https://login.example.com/realms/shops, got "${issuer ?? ''}".`,
    );
  if (clientId !== undefined) return { issuer, clientId, clientSecret, name: name ?? url.host, rolesClaim };
  throw new StartRefusal('OIDC_CLIENT_ID is missing: with OIDC_ISSUER set, say as which client the provider knows us.');
}

function secretIn(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new StartRefusal(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}
