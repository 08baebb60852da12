import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientMetadata, Provider } from 'oidc-provider';
import type { OpenIdSettings } from '../../../src/platform/setting-values.ts';

/** Somebody whom the provider knows. */
export interface ProvidersPerson {
  readonly subject: string;
  readonly claims?: Readonly<Record<string, unknown>>;
}

const CLIENT = { client_id: 'tillseal', client_secret: 'a secret of forty characters, of a test' } as const;
/** The claim that grants memberships, and the scope that has it. */
const GROUPS = 'groups';

/** A real OpenID provider on loopback. Who sits in front of it is `person`, who is let through without a page; nobody declines. */
export class OpenIdTestProvider {
  person: ProvidersPerson | undefined;
  readonly issuer: string;
  readonly #server: Server;
  readonly #provider: Provider;
  readonly #people = new Map<string, ProvidersPerson>();

  private constructor(server: Server, redirectUri: string, client: Partial<ClientMetadata>) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.#provider = new Provider(this.issuer, {
      clients: [{ ...CLIENT, redirect_uris: [redirectUri], ...client }],
      claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'], [GROUPS]: [GROUPS] },
      findAccount: (_context, subject) => ({
        accountId: subject,
        claims: () => ({ sub: subject, ...this.#people.get(subject)?.claims }),
      }),
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
      cookies: { keys: ['of a test'] },
      ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 },
    });
    const answer = this.#provider.callback();
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.url?.startsWith('/interaction/')) void this.#letThrough(request, response);
      else void answer(request, response);
    });
  }

  /** `redirectUri`: the console's page, `PUBLIC_URL/console/openid`. */
  static async start(redirectUri: string, client: Partial<ClientMetadata> = {}, port = 0): Promise<OpenIdTestProvider> {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new OpenIdTestProvider(server, redirectUri, client);
  }

  get settings(): OpenIdSettings {
    const { client_id: clientId, client_secret: clientSecret } = CLIENT;
    return { issuer: this.issuer, clientId, clientSecret, name: 'Example ID', rolesClaim: GROUPS };
  }

  /** The same as variables of the environment. */
  get environment(): Record<string, string> {
    const { issuer, clientId, clientSecret = '', name } = this.settings;
    return {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: clientSecret,
      OIDC_NAME: name,
      OIDC_ROLES_CLAIM: GROUPS,
    };
  }

  /** What a new browser does, sent to the address: the query with which it comes back. */
  async visit(address: string): Promise<string> {
    const cookies = new Map<string, string>();
    for (let url = address; ; ) {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const line of answer.headers.getSetCookie()) {
        const [name = '', value = ''] = line.split(';', 1)[0]?.split('=') ?? [];
        cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`${url} answers ${answer.status}: ${await answer.text()}`);
      const next = new URL(location, url);
      if (next.origin !== this.issuer) return next.search;
      url = next.href;
    }
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #letThrough(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params, session } = await this.#provider.interactionDetails(request, response);
    const { person } = this;
    if (person === undefined) {
      const refusal = { error: 'access_denied', error_description: 'nobody is here' };
      return this.#provider.interactionFinished(request, response, refusal);
    }
    this.#people.set(person.subject, person);
    if (prompt.name === 'login') {
      return this.#provider.interactionFinished(request, response, { login: { accountId: person.subject } });
    }
    const grant = new this.#provider.Grant({ accountId: session?.accountId, clientId: String(params['client_id']) });
    grant.addOIDCScope(String(params['scope']));
    const consent = { grantId: await grant.save() };
    return this.#provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  }
}
