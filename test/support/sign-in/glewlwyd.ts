import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import type { OpenIdSettings } from '../../../src/platform/setting-values.ts';
import { freePort } from '../process.ts';

const SCHEMA = '/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz';
const MODULES = '/usr/lib/glewlwyd';
// It takes these as they are from the header, where others decode them: letters and digits alone are the same in both.
const SECRET = 'aSecretOfATest';

/** Debian's package, as it is found there: apt-get install --no-install-recommends glewlwyd. */
export const HAS_GLEWLWYD = existsSync('/usr/bin/glewlwyd') && existsSync(SCHEMA);

/** An OpenID provider that nobody here wrote, in C, with one person. It takes their name for the claim that grants memberships. */
export class Glewlwyd {
  readonly settings: OpenIdSettings;
  readonly #folder: string;
  readonly #base: string;
  readonly #process: ChildProcess;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#base = `http://127.0.0.1:${port}/api`;
    const issuer = `${this.#base}/oidc`;
    this.settings = { issuer, clientId: 'tillseal', clientSecret: SECRET, name: 'Glewlwyd', rolesClaim: 'groups' };
    this.#process = spawn('/usr/bin/glewlwyd', ['-c', join(folder, 'conf')], { stdio: 'ignore' });
  }

  static async start(redirectUri: string, person: { username: string; name: string }): Promise<Glewlwyd> {
    const folder = await mkdtemp(join(tmpdir(), 'glewlwyd-'));
    const port = await freePort();
    const database = new DatabaseSync(join(folder, 'db'));
    database.exec(gunzipSync(readFileSync(SCHEMA)).toString());
    database.close();
    await writeFile(join(folder, 'conf'), configuration(port, folder));
    const started = new Glewlwyd(folder, port);
    await started.#setUp(redirectUri, person);
    return started;
  }

  /** What the browser of a person does, sent to the address: the query with which it comes back. */
  async visit(address: string, username: string): Promise<string> {
    const cookie = await this.#logIn(username, SECRET);
    await this.#send('PUT', '/auth/grant/tillseal/', { scope: 'openid' }, cookie);
    // The page for people goes on with this word.
    const answer = await fetch(`${address}&g_continue`, { redirect: 'manual', headers: { cookie } });
    return new URL(answer.headers.get('location') ?? '').search;
  }

  async close(): Promise<void> {
    this.#process.kill();
    await once(this.#process, 'exit');
    await rm(this.#folder, { recursive: true });
  }

  async #setUp(redirectUri: string, person: object): Promise<void> {
    for (let tries = 0; tries < 100 && !(await fetch(this.#base).catch(() => undefined)); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 100));
    const admin = await this.#logIn('admin', 'password');
    const { privateKey, publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const parameters = {
      iss: this.settings.issuer,
      'subject-type': 'public',
      'jwt-type': 'rsa',
      'jwt-key-size': '256',
      key: privateKey,
      cert: publicKey,
      'access-token-duration': 3600,
      'refresh-token-duration': 3600,
      'code-duration': 600,
      'auth-type-code-enabled': true,
      'auth-type-id-token-enabled': true,
      'pkce-allowed': true,
      'pkce-required': true,
      'jwks-show': true,
      'allowed-scope': ['openid'],
      claims: [{ name: 'groups', 'user-property': 'name', type: 'string', mandatory: true, scope: [] }],
    };
    const plugin = { module: 'oidc', name: 'oidc', display_name: 'OpenID', enabled: true, parameters };
    await this.#send('POST', '/mod/plugin/', plugin, admin);
    await this.#send('POST', '/user/', { ...person, password: SECRET, enabled: true, scope: ['openid'] }, admin);
    const client = {
      client_id: 'tillseal',
      confidential: true,
      client_secret: SECRET,
      redirect_uri: [redirectUri],
      authorization_type: ['code'],
      token_endpoint_auth_method: ['client_secret_basic'],
      enabled: true,
    };
    await this.#send('POST', '/client/', client, admin);
  }

  async #logIn(username: string, password: string): Promise<string> {
    const answer = await this.#send('POST', '/auth/', { username, password });
    return answer.headers
      .getSetCookie()
      .map((line) => line.split(';', 1)[0])
      .join('; ');
  }

  async #send(method: string, path: string, body: object, cookie = ''): Promise<Response> {
    const headers = { 'content-type': 'application/json', cookie };
    const answer = await fetch(`${this.#base}${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}

function configuration(port: number, folder: string): string {
  return `port=${port}
bind_address="127.0.0.1"
external_url="http://127.0.0.1:${port}"
login_url="login.html"
api_prefix="api"
log_mode="console"
log_level="WARNING"
cookie_secure=0
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
login_api_enabled=true
user_module_path="${MODULES}/user"
client_module_path="${MODULES}/client"
user_auth_scheme_module_path="${MODULES}/scheme"
plugin_module_path="${MODULES}/plugin"
hash_algorithm="SHA512"
database = { type = "sqlite3"; path = "${join(folder, 'db')}"; };
`;
}
