import { type AddressInfo, connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly target: Socket;
}

/** The way from an instance to its database or to the authority, which can be cut or frozen. */
export class Tunnel {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #isRefusing = false;
  #isFrozen = false;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(target: NetConnectOpts): Promise<Tunnel> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const tunnel = new Tunnel(server);
    server.on('connection', (client) => tunnel.#join(client, target));
    return tunnel;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** Resets every connection and returns how many there were. New ones are refused until `pass`. */
  cut(): number {
    this.#isRefusing = true;
    const pairs = [...this.#pairs];
    for (const { client, target } of pairs) {
      client.resetAndDestroy();
      target.destroy();
    }
    return pairs.length;
  }

  /** Connections stay open and nothing gets through in either direction, as when a network breaks. */
  freeze(): number {
    this.#isFrozen = true;
    for (const pair of this.#pairs) hold(pair);
    return this.#pairs.size;
  }

  /** Back to normal. What was held arrives now, late. */
  pass(): void {
    this.#isRefusing = false;
    if (!this.#isFrozen) return;
    this.#isFrozen = false;
    for (const { client, target } of this.#pairs) {
      client.resume();
      target.resume();
    }
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const { client, target } of this.#pairs) {
        client.destroy();
        target.destroy();
      }
    });
  }

  #join(client: Socket, to: NetConnectOpts): void {
    client.on('error', () => {});
    if (this.#isRefusing) {
      client.resetAndDestroy();
      return;
    }
    const target = connect(to);
    target.on('error', () => {});
    const pair = { client, target };
    this.#pairs.add(pair);
    this.#forward(client, target);
    this.#forward(target, client);
    const end = () => this.#pairs.delete(pair);
    client.on('close', end);
    target.on('close', end);
    if (this.#isFrozen) hold(pair);
  }

  #forward(from: Socket, to: Socket): void {
    from.setNoDelay(true);
    from.on('data', (chunk) => {
      if (!to.write(chunk)) {
        from.pause();
        to.once('drain', () => {
          if (!this.#isFrozen) from.resume();
        });
      }
    });
    from.on('end', () => to.end());
    from.on('close', () => to.destroySoon());
  }
}

function hold({ client, target }: Pair): void {
  client.pause();
  target.pause();
}
