import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";

/** The way to a server, which can be closed: connections break, and new ones are refused. */
export async function openWay(to: number) {
  const sockets = new Set<Socket>();
  const server = createServer((from) => {
    const onward = connect(to, "127.0.0.1");
    for (const socket of [from, onward]) {
      sockets.add(socket);
      socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    }
    from.pipe(onward).pipe(from);
  });
  const listen = async (port: number) => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  await listen(0);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const close = async () => {
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port: address.port,
    open: () => listen(address.port),
    close,
    async [Symbol.asyncDispose]() {
      if (server.listening) await close();
    },
  };
}
