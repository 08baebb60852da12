import { stepOf, totp } from '../../../src/console/people/core/totp.ts';
import { MailServer } from '../../../test/support/mail-server.ts';
import { PASSWORD } from '../../../test/support/people.ts';
import { freePort } from '../../../test/support/process.ts';
import { Authenticator } from '../../../test/support/sign-in/authenticator.ts';
import { OpenIdTestProvider } from '../../../test/support/sign-in/openid-provider.ts';
import type { Random } from '../../world/random.ts';
import type { Credential, Headers } from './credentials.ts';

type Body = Record<string, unknown>;
type Options = Parameters<Authenticator['make']>[0];

interface Answered {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Begun {
  readonly Secret?: string;
  readonly Options?: Options;
  readonly Passkey?: Options | null;
  readonly Address?: string;
}

/** What the provider sent a browser back with, and the cookie it must come with. */
interface Returned {
  readonly Answer: string;
  readonly cookie: string;
}

/** Somebody with a session and what they have set up in it. */
interface Holder {
  readonly passkey: Authenticator;
  /** Of their app. */
  secret?: string;
  made?: object;
  used?: object;
  returned?: Returned;
}

/** Has new passwords mailed to them. */
export const FORGETFUL = 'forgetful@example.com';
/** People whose own sign-in is attacked: they are locked out often, and nothing else depends on them. */
const HOLDERS = /^(?:clerk|viewer) of another (taxpayer|vendor|biller|practice)$/;
const OWN =
  /Totp$|Passkey$|Identity$|^(?:getSecondFactor|startSecondFactor|proveSession|listSessions|endOwnSession|switchTenant|beginLink)$/;
const NEWEST = 5;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** What lets people in beside their passwords: a mailbox for all of them, a provider that knows them, and their apps and passkeys. */
export class SignIn {
  readonly #mails: MailServer;
  readonly #provider: OpenIdTestProvider;
  readonly environment: Readonly<Record<string, string>>;
  readonly #holders = new Map<string, Holder>();
  /** Whom the provider knows as somebody here. */
  readonly #linked: string[] = [];
  readonly #returned: Returned[] = [];
  /** Of log-ins that nothing depends on. */
  readonly #sessions: string[] = [];
  #visits: Promise<unknown> = Promise.resolve();

  readonly #url: string;

  private constructor(url: string, provider: OpenIdTestProvider, mails: MailServer, mailPort: number) {
    this.#url = url;
    this.#provider = provider;
    this.#mails = mails;
    this.environment = {
      PORT: new URL(url).port,
      PUBLIC_URL: url,
      SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
      MAIL_FROM: 'tillseal@example.com',
      ...provider.environment,
    };
  }

  static async start(): Promise<SignIn> {
    // Passkeys belong to a name.
    const url = `http://localhost:${await freePort()}`;
    const mails = new MailServer();
    return new SignIn(url, await OpenIdTestProvider.start(`${url}/console/openid`), mails, await mails.listen());
  }

  async close(): Promise<void> {
    await this.#visits;
    await this.#provider.close();
    await this.#mails.close();
  }

  /** Whose credentials an operation on one's own sign-in is tried with, the cookie of the browser that began it included. */
  credentialFor(id: string, credentials: readonly Credential[], random: Random): Credential | undefined {
    if (id === 'finishOpenIdLogIn') return withCookie('a browser', this.#returned[0]?.cookie ?? 'tillseal-openid=none');
    if (id === 'logOut') return withCookie('a session', this.#sessions.shift() ?? 'tillseal-session=none');
    if (!OWN.test(id)) return undefined;
    const holder = random.pick(credentials.filter(({ name }) => HOLDERS.test(name)));
    const { returned } = this.#holderOf(cookieIn(holder));
    return id === 'linkIdentity' && returned !== undefined
      ? withCookie(holder.name, `${cookieIn(holder)}; ${returned.cookie}`)
      : holder;
  }

  /** What its body must have to be right. */
  bodyFor(id: string, credential: Credential, random: Random): Body {
    const holder = this.#holderOf(cookieIn(credential));
    const code = holder.secret === undefined ? {} : { Code: codeOf(holder.secret) };
    switch (id) {
      case 'confirmTotp':
        return code;
      case 'proveSession':
        return holder.used !== undefined && random.chance(0.5) ? { Code: undefined, Passkey: holder.used } : code;
      case 'addPasskey':
        return holder.made === undefined ? {} : { Passkey: holder.made };
      case 'linkIdentity':
        return { Answer: holder.returned?.Answer ?? '?code=none' };
      case 'finishOpenIdLogIn':
        return { Answer: this.#returned.shift()?.Answer ?? '?code=none' };
      case 'readLink':
      case 'useLink':
        return { Token: this.#linkTo('link', random) };
      case 'confirmEndpoint':
        return { Token: this.#linkTo('confirm', random) };
      default:
        return {};
    }
  }

  /** Remembers what a good answer begins. */
  async learn(id: string, sent: { readonly headers: Headers }, { headers, body }: Answered): Promise<void> {
    const set = /tillseal-(?:openid|session)=[^;]+/.exec(headers['set-cookie'] ?? '')?.[0];
    if (set !== undefined && /^(?:logIn|finishOpenIdLogIn)$/.test(id)) this.#sessions.push(set);
    const { Address, ...answer } = Object(JSON.parse(body.toString('utf8') || '{}')) as Begun;
    if (id === 'beginOpenIdLogIn' && Address !== undefined && set !== undefined) {
      const subject = this.#linked.shift();
      if (subject === undefined) return;
      this.#linked.push(subject);
      this.#returned.push({ Answer: await this.#visit(Address, subject), cookie: set });
    }
    if (!OWN.test(id)) return;
    const cookie = cookieIn(sent);
    const [holder, subject] = [this.#holderOf(cookie), cookie.slice(-20)];
    if (id === 'linkIdentity') this.#linked.push(subject);
    if (answer.Secret !== undefined) holder.secret = answer.Secret;
    if (answer.Options !== undefined) holder.made = holder.passkey.make(answer.Options);
    if (answer.Passkey != null) holder.used = holder.passkey.use(answer.Passkey);
    if (Address !== undefined && set !== undefined)
      holder.returned = { Answer: await this.#visit(Address, subject), cookie: set };
  }

  /** One after another: who sits in front of the provider is one person. */
  async #visit(address: string, subject: string): Promise<string> {
    const before = this.#visits;
    const visit = async () => {
      await before;
      this.#provider.person = { subject };
      return this.#provider.visit(address);
    };
    const visited = visit();
    this.#visits = visited;
    return visited;
  }

  #holderOf(cookie: string): Holder {
    const holder = this.#holders.get(cookie) ?? { passkey: new Authenticator(this.#url) };
    this.#holders.set(cookie, holder);
    return holder;
  }

  #linkTo(page: 'link' | 'confirm', random: Random): string {
    const ofPage = new RegExp(`/console/${page}#(\\S+)`);
    const links = this.#mails.messages.flatMap(({ body }) => ofPage.exec(body)?.[1] ?? []);
    return links.length === 0 ? 'x'.repeat(43) : random.pick(links.slice(-NEWEST));
  }
}

/** Somebody who logs in and out, and has PASSWORD. */
export function loggingIn(random: Random): { readonly Email: string; readonly Password: string } {
  const kind = random.pick(['taxpayer', 'vendor', 'biller', 'practice']);
  return { Email: `viewer.${kind}@curious.example.com`, Password: PASSWORD };
}

function withCookie(name: string, cookie: string): Credential {
  const headers = [['Cookie', cookie] as const, ['X-Tillseal-Console', '1'] as const];
  return { name, headers, opens: undefined, snoops: undefined };
}

/** The session's, without that of a browser which came back. */
function cookieIn({ headers }: Pick<Credential, 'headers'>): string {
  return headers.find(([name]) => name === 'Cookie')?.[1].split(';', 1)[0] ?? '';
}

/** Base32 is five bits in each letter. */
function codeOf(secret: string): string {
  const bits = Array.from(secret, (letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  return totp(Buffer.from(bytes), stepOf(new Date()));
}
