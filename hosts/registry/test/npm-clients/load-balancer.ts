import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:https";
import { makeServerCertificate } from "../clients/certificate-authority.ts";

export type LoadBalancer = AsyncDisposable & {
  /** `https://localhost:port`. */
  readonly url: string;
  /** PEM file of the authority that its certificate is from. */
  readonly authority: string;
};

/**
 * A stand-in for a load balancer that ends https: it calls the host by an internal name, and
 * forwards the name of the client in headers.
 */
export async function openLoadBalancer(target: string, folder: string): Promise<LoadBalancer> {
  const { authority, certificate, key } = await makeServerCertificate(folder);
  const tls = { cert: await readFile(certificate), key: await readFile(key) };
  const { hostname, port: targetPort } = new URL(target);
  const server = createServer(tls, (incoming, outgoing) => {
    const { method, url: path, headers, socket } = incoming;
    const onward = {
      ...headers,
      host: "registry.internal:8080",
      "x-forwarded-host": headers.host,
      "x-forwarded-proto": "https",
      "x-forwarded-for": socket.remoteAddress,
    };
    const sent = { hostname, port: targetPort, method, path, headers: onward };
    const clientRequest = request(sent, (answer) => {
      answer.pipe(outgoing.writeHead(answer.statusCode ?? 0, answer.headers));
    });
    clientRequest.on("error", () => outgoing.destroy());
    outgoing.on("close", () => clientRequest.destroy());
    incoming.pipe(clientRequest);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the load balancer has no port");
  return {
    url: `https://localhost:${address.port}`,
    authority,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
