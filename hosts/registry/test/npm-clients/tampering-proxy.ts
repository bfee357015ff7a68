import { once } from "node:events";
import { createServer, request } from "node:http";

/**
 * A stand-in for an attacker between a registry and its clients: changes values in JSON answers.
 */
export async function openTamperingProxy(
  target: string,
  tamper: (text: string, path: string) => string,
): Promise<AsyncDisposable & { readonly url: string }> {
  const { hostname, port: targetPort } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path = "/", headers } = incoming;
    const plain = { ...headers, "accept-encoding": "identity" };
    const onward = { hostname, port: targetPort, method, path, headers: plain };
    const clientRequest = request(onward, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const isJson = /json/.test(answer.headers["content-type"] ?? "");
        const body = Buffer.concat(chunks);
        const sent = isJson ? Buffer.from(tamper(body.toString("utf8"), path)) : body;
        const { etag: _, ...otherHeaders } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 0, {
          ...otherHeaders,
          "content-length": sent.length,
        });
        outgoing.end(sent);
      });
    });
    clientRequest.on("error", () => outgoing.destroy());
    incoming.pipe(clientRequest);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
