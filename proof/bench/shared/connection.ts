import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Something to ask of a service. */
export interface Question {
  readonly path: string;
  readonly token: string;
  /** With one it is a POST. */
  readonly body?: string;
  /** Anything with status 200, if not said. */
  readonly isRight?: (answer: string) => boolean;
}

/** One request at a time, on a bare socket: the load shares two cores with what it measures, and a library takes almost twice as much of them. */
export class Connection {
  readonly #address: { readonly host: string; readonly port: number };
  #socket: Socket | undefined;
  #answer: PromiseWithResolvers<string> | undefined;

  private constructor(origin: string) {
    const { hostname, port } = new URL(origin);
    this.#address = { host: hostname, port: Number(port) };
  }

  static async open(origin: string): Promise<Connection> {
    const connection = new Connection(origin);
    await connection.#open();
    return connection;
  }

  async #open(): Promise<Socket> {
    const socket = connect({ ...this.#address, noDelay: true });
    socket.on(
      'data',
      messagesOf((message) => this.#answer?.resolve(message.toString('latin1'))),
    );
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#answer?.reject(new Error('the connection was cut'));
    });
    await once(socket, 'connect');
    socket.on('error', () => {});
    this.#socket = socket;
    return socket;
  }

  /** The whole answer, head and body; anything that is not ASCII is not as it was. */
  async ask({ path, token, body }: Question): Promise<string> {
    const socket = this.#socket ?? (await this.#open());
    this.#answer = Promise.withResolvers();
    const head = `host: bench\r\nauthorization: Bearer ${token}\r\n`;
    if (body === undefined) socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n`);
    else {
      const length = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
      socket.write(`POST ${path} HTTP/1.1\r\n${head}${length}\r\n${body}`);
    }
    return this.#answer.promise;
  }

  close(): void {
    this.#socket?.destroy();
  }
}

/** Cuts what arrives on a connection into whole messages. Every one here has a Content-Length. */
export function messagesOf(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const length = /\r\ncontent-length: *(\d+)/i.exec(pending.toString('latin1', 0, headEnd))?.[1] ?? '0';
      const size = headEnd + 4 + Number(length);
      if (pending.length < size) return;
      const message = pending.subarray(0, size);
      pending = pending.subarray(size);
      onMessage(message);
    }
  };
}
