import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One address for a database that moves: what HAProxy or a managed endpoint is in front of a primary and its standby. */
export interface TcpSwitch {
  readonly port: number;
  /** Where new connections go; the old ones are cut. */
  pointTo(port: number): void;
  close(): Promise<void>;
}

export async function startTcpSwitch(firstTarget: number): Promise<TcpSwitch> {
  let target = firstTarget;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const database = connect(target, '127.0.0.1');
    keep(client);
    keep(database);
    client.pipe(database).pipe(client);
    client.on('close', () => database.destroy());
    database.on('close', () => client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    pointTo: (port) => {
      target = port;
      cut();
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
