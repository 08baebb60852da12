import { createHash } from 'node:crypto';
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
} from 'openid-client';
import { Agent, fetch } from 'undici';
import { type Refusal, type Refused, refused } from '../../../kernel/refusal.ts';
import type { Log } from '../../../platform/logging/log.ts';
import { isSafeProvider, type OpenIdSettings } from '../../../platform/setting-values.ts';
import type { Handshake } from './handshake.ts';

/** Whom the provider means. */
export interface ProviderIdentity {
  readonly subject: string;
  /** Values of the claim that grants memberships, if one is set. */
  readonly roles: unknown;
}

export interface OpenIdProvider {
  /** Where the browser is sent. */
  readonly ask: (handshake: Handshake) => Promise<string | Refused>;
  readonly identify: (handshake: Handshake, answer: string) => Promise<ProviderIdentity | Refused>;
}

const TIMEOUT_SECONDS = 5;
const MAX_ANSWER_BYTES = 1_000_000;
/** What the provider says of itself; new keys are looked for when they are needed. */
const KEPT_MS = 3_600_000;

/** Codes of openid-client for answers that are none, rather than wrong ones. */
const NO_ANSWER = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

export function createProvider(settings: OpenIdSettings, redirectUri: string, log: Log): OpenIdProvider {
  const { issuer, clientId, name, rolesClaim } = settings;
  // A log-in is rare, and its provider should not see how long this process lives.
  const dispatcher = new Agent({ pipelining: 0, maxResponseSize: MAX_ANSWER_BYTES });
  const guardedFetch = async (url: string, options: object) => {
    if (!isSafeProvider(new URL(url))) throw new TypeError(`${name} names an address that is not encrypted`);
    // Redirects are not followed: openid-client asks so.
    return (await fetch(url, { ...options, dispatcher })) as unknown as Response;
  };
  let known: { readonly configuration: Promise<Configuration>; readonly untilMs: number } | undefined;
  const configuration = (): Promise<Configuration> => {
    if (known === undefined || known.untilMs < performance.now()) {
      const execute = [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])];
      const options = { execute, timeout: TIMEOUT_SECONDS, [customFetch]: guardedFetch };
      const discovered = discovery(new URL(issuer), clientId, undefined, authenticationOf(settings), options);
      known = { configuration: discovered, untilMs: performance.now() + KEPT_MS };
      discovered.catch(() => {
        known = undefined;
      });
    }
    return known.configuration;
  };
  const asked = async <Value>(work: (config: Configuration) => Promise<Value>): Promise<Value | Refused> => {
    try {
      return await work(await configuration());
    } catch (error) {
      const refusal = refusalOf(error, name);
      // Not the error itself, which has what was sent and answered.
      log.warn({ problem: codeOf(error) }, error instanceof Error ? error.message : String(error));
      return refused(refusal);
    }
  };
  return {
    ask: (handshake) =>
      asked(async (config) => {
        const scopes = config.serverMetadata().scopes_supported ?? [];
        const wanted =
          rolesClaim === undefined ? [] : ['profile', rolesClaim].filter((scope) => scopes.includes(scope));
        const url = buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: ['openid', ...wanted].join(' '),
          state: handshake.state,
          nonce: handshake.nonce,
          code_challenge: createHash('sha256').update(handshake.verifier).digest('base64url'),
          code_challenge_method: 'S256',
        });
        if (!isSafeProvider(url)) throw new TypeError('the address for people is not encrypted');
        return url.href;
      }),
    identify: (handshake, answer) =>
      asked(async (config) => {
        const url = new URL(redirectUri);
        url.search = answer;
        const tokens = await authorizationCodeGrant(config, url, {
          expectedState: handshake.state,
          expectedNonce: handshake.nonce,
          pkceCodeVerifier: handshake.verifier,
        });
        const claims = tokens.claims();
        if (claims === undefined || new URL(claims.iss).href !== new URL(issuer).href)
          throw new ClientError('the answer is of another issuer');
        const { sub: subject } = claims;
        if (rolesClaim === undefined) return { subject, roles: [] };
        // Many providers tell only here what somebody belongs to.
        const isElsewhere = claims[rolesClaim] === undefined && config.serverMetadata().userinfo_endpoint !== undefined;
        const more = isElsewhere ? await fetchUserInfo(config, tokens.access_token, subject) : claims;
        return { subject, roles: more[rolesClaim] };
      }),
  };
}

/** As OpenID Connect has it: in the header, unless the provider takes it only in the body. */
function authenticationOf({ clientSecret }: OpenIdSettings): ClientAuth {
  if (clientSecret === undefined) return None();
  const [inHeader, inBody] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? inHeader : inBody)(server, ...rest);
  };
}

function refusalOf(error: unknown, name: string): Refusal {
  if (error instanceof AuthorizationResponseError) {
    const words = (error.error_description ?? error.error).slice(0, 200);
    return { code: 'Forbidden', detail: `${name} did not let you in: ${words}` };
  }
  // A code that was used is invalid_grant, at some providers another word.
  if (error instanceof ResponseBodyError && error.status < 500 && !error.error.endsWith('_client'))
    return { code: 'Forbidden', detail: `${name} knows nothing of this log-in, or it was used already: begin again.` };
  if (error instanceof ResponseBodyError || error instanceof TypeError || NO_ANSWER.has(codeOf(error))) {
    const why = error instanceof ResponseBodyError ? `refuses this installation (${error.error})` : 'does not answer';
    return { code: 'Unavailable', detail: `${name} ${why}: log in with your password, or try again later.` };
  }
  return { code: 'Forbidden', detail: `The answer of ${name} does not belong to what was asked: begin again.` };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
