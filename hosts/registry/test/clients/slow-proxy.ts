import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/**
 * Forwards uploads with a limit of bytes per second and connection, and forwards answers at once.
 */
export async function openSlowProxy(
  target: string,
  bytesPerSecond: number,
): Promise<AsyncDisposable & { readonly url: string }> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      // Either end may close its connection at any time.
      socket.on("error", () => socket.destroy());
    }
    upstream.pipe(client);
    void handOn(client, upstream, bytesPerSecond).catch(() => upstream.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

async function handOn(from: Socket, to: Socket, bytesPerSecond: number): Promise<void> {
  for await (const chunk of from) {
    const bytes = chunk as Buffer;
    await wait((bytes.length / bytesPerSecond) * 1_000);
    if (!to.write(bytes)) await once(to, "drain");
  }
  to.end();
}
