import type { FastifyRequest } from 'fastify';
import type { MadePasskey, UsedPasskey } from '../../../contract/console/second-factor.ts';
import type { StoredPasskey } from './passkey-store.ts';

/** Where passkeys are made and used. They belong to its name, so there are none at an IP address. */
export interface PasskeyPlace {
  readonly origin: string;
  readonly name: string;
}

/** At PUBLIC_URL, or wherever the console is open. */
export function passkeyPlace(
  publicUrl: string | undefined,
  { protocol, host }: FastifyRequest,
): PasskeyPlace | undefined {
  const url = publicUrl ?? `${protocol}://${host}`;
  if (!URL.canParse(url)) return undefined;
  const { origin, hostname } = new URL(url);
  return /^\[|^[\d.]+$/.test(hostname) ? undefined : { origin, name: hostname };
}

export const CHALLENGE_MS = 5 * 60_000;

/** Loaded with the first passkey: it takes 200 ms, and many installations have none. */
const library = () => import('@simplewebauthn/server');

/** EdDSA, ES256, RS256. The library would add ML-DSA, which Node calls experimental. */
const ALGORITHMS = [-8, -7, -257];

const described = ({ credentialId, transports }: StoredPasskey) => ({
  id: credentialId.toString('base64url'),
  transports: [...transports],
});

/** For `navigator.credentials.create`. */
export async function optionsToMake(
  place: PasskeyPlace,
  person: { readonly personId: string; readonly email: string; readonly name: string },
  known: readonly StoredPasskey[],
) {
  return (await library()).generateRegistrationOptions({
    rpName: 'Tillseal',
    rpID: place.name,
    userID: Uint8Array.from(Buffer.from(person.personId)),
    userName: person.email,
    userDisplayName: person.name,
    excludeCredentials: known.map(described),
    timeout: CHALLENGE_MS,
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** For `navigator.credentials.get`. A PIN or a finger is not asked for: the password was. */
export async function optionsToUse(place: PasskeyPlace, known: readonly StoredPasskey[]) {
  return (await library()).generateAuthenticationOptions({
    rpID: place.name,
    allowCredentials: known.map(described),
    userVerification: 'discouraged',
    timeout: CHALLENGE_MS,
  });
}

const expected = (place: PasskeyPlace, challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: place.origin,
  expectedRPID: place.name,
  requireUserVerification: false,
});

/** What there is to keep of a new passkey; undefined: it does not answer the challenge. */
export async function readMade(place: PasskeyPlace, challenge: string, made: MadePasskey) {
  const { verifyRegistrationResponse } = await library();
  const response = { ...made, clientExtensionResults: {} };
  // It throws at whatever is wrong.
  const checked = await verifyRegistrationResponse({
    response,
    ...expected(place, challenge),
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined);
  if (!checked?.verified) return undefined;
  const { id, publicKey, counter } = checked.registrationInfo.credential;
  return {
    credentialId: Buffer.from(id, 'base64url'),
    publicKey: Buffer.from(publicKey),
    counter,
    transports: made.response.transports ?? [],
  };
}

/** What its counter says now; undefined: it was another passkey, challenge or place, or the counter does not rise. */
export async function readUsed(place: PasskeyPlace, challenge: string, used: UsedPasskey, passkey: StoredPasskey) {
  const { verifyAuthenticationResponse } = await library();
  const response = { ...used, clientExtensionResults: {} };
  const publicKey = Uint8Array.from(passkey.publicKey);
  const credential = { id: used.id, publicKey, counter: passkey.counter };
  const checked = await verifyAuthenticationResponse({ response, credential, ...expected(place, challenge) }).catch(
    () => undefined,
  );
  return checked?.verified ? checked.authenticationInfo.newCounter : undefined;
}
