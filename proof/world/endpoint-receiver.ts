import { TAXPAYER_EVENTS } from '../../src/contract/platform/event.ts';
import type { Admin } from './admin.ts';
import type { Random } from './random.ts';
import { type Received, Receiver, type Reply } from './receiver.ts';
import type { Shop } from './shop.ts';

/** An address that is told of events. */
export interface Endpoint {
  /** Whose events: those of the taxpayer, of the vendor, or of the installation. */
  readonly name: string;
  readonly endpointId: string;
  readonly secret: string;
  /** The number of the newest event when it was made. */
  readonly after: number;
}

/** The pause before the second try is seconds, before the third minutes: each message meets a fault once at most. */
const FAULTS: readonly Reply[] = [500, 503, 401, 410, 429, 'cut', 'silence'];
const ONE_IN = 60;
/** Of those about the whole installation, which are few. */
const ONE_IN_FEW = 6;
/** One event in this many is answered 400 whenever it comes, alone or among others. */
const REFUSED_EVERY = 5000;
const FIRST_REFUSED = 20;

/** Where every endpoint of the run is. */
export class EndpointReceiver extends Receiver {
  readonly #random: Random;
  readonly #seen = new Set<string>();
  readonly #refused = new Set<string>();
  #isHealed = false;

  constructor(random: Random) {
    super();
    this.#random = random;
  }

  /** From now on everything is taken but what was refused before. */
  override heal(): void {
    this.#isHealed = true;
    super.heal();
  }

  /** One for each tenant, and one that is told of all alerts. */
  async register(admin: Admin, { taxpayerId, vendorId }: Shop): Promise<Endpoint[]> {
    const wanted = {
      taxpayer: { TaxpayerId: taxpayerId, BatchSize: 50, EventTypes: Object.keys(TAXPAYER_EVENTS) },
      vendor: { VendorId: vendorId, BatchSize: 10 },
      installation: {},
    };
    const endpoints: Endpoint[] = [];
    for (const [name, options] of Object.entries(wanted)) {
      const body = { Address: `${this.url}/${name}`, ...options };
      type Created = { EndpointId: string; Secret: string; LastNumber: number };
      const { EndpointId, Secret, LastNumber } = await admin.call<Created>('POST', 'endpoints', body);
      endpoints.push({ name, endpointId: EndpointId, secret: Secret, after: LastNumber });
    }
    return endpoints;
  }

  protected override replyTo({ path, headers, body }: Received): Reply {
    const { Events } = JSON.parse(body) as { readonly Events: readonly { readonly Number: number }[] };
    const bad = Events.find((event) => event.Number % REFUSED_EVERY === FIRST_REFUSED);
    if (bad !== undefined && !this.#isHealed) this.#refused.add(`${path} ${bad.Number}`);
    if (bad !== undefined && this.#refused.has(`${path} ${bad.Number}`)) return 400;
    const id = String(headers['webhook-id']);
    const isFirst = !this.#seen.has(id);
    this.#seen.add(id);
    const oneIn = path === '/installation' ? ONE_IN_FEW : ONE_IN;
    return isFirst && !this.#isHealed && this.#random.between(1, oneIn) === 1 ? this.#random.pick(FAULTS) : 200;
  }
}
