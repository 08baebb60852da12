import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What becomes of a connection through the proxy. */
export type ProxyMode =
  | 'pass'
  /** The request arrives and is answered; the answer never comes back. */
  | 'lose-answer'
  /** The connection ends before anything has arrived. */
  | 'cut';

export interface CuttingProxy {
  readonly url: string;
  mode: ProxyMode;
  /** Requests whose answers were lost. */
  lost: number;
  /** What contains this waits, and all that follows it on its connection. */
  holdsBack: string | undefined;
  /** What waits: each lets one go. */
  readonly held: (() => void)[];
  close(): Promise<void>;
}

/**
 * A way to a service on loopback, or at `unix:` and a socket's path, that can break at the worst moment: after the request arrived,
 * before its answer.
 */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { protocol, port, hostname, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    if (proxy.mode === 'cut') {
      client.destroy();
      return;
    }
    const service = connect(protocol === 'unix:' ? { path: pathname } : { port: Number(port), host: hostname });
    keep(service);
    client.on('data', (chunk) => {
      if (proxy.mode === 'cut') client.destroy();
      else if (proxy.holdsBack === undefined || !chunk.includes(proxy.holdsBack)) service.write(chunk);
      else {
        client.pause();
        proxy.held.push(() => {
          service.write(chunk);
          client.resume();
        });
      }
    });
    client.on('close', () => service.destroy());
    service.on('close', () => client.destroy());
    service.on('data', (chunk) => {
      if (proxy.mode === 'pass') {
        client.write(chunk);
        return;
      }
      proxy.lost += 1;
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mode: 'pass',
    lost: 0,
    holdsBack: undefined,
    held: [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return proxy;
}
