import { createSign, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createTestCredential } from "@sealhouse/repo-signing/testing";

/** A token service, as registries have it next to them. */
export type TokenService = AsyncDisposable & {
  readonly url: string;
  /** PEM of the authorities of its key. */
  readonly issuersPem: string;
  /** Number of requests so far. */
  requests(): number;
};

export const TOKEN_SERVICE = "registry";
export const TOKEN_ISSUER = "issuer";

/** Gives every scope to the one user. */
export async function openTokenService(user: {
  readonly username: string;
  readonly password: string;
}): Promise<TokenService> {
  const { key, chain, issuersPem } = await createTestCredential();
  const x5c = chain.slice(0, 2).map((der) => Buffer.from(der).toString("base64"));
  const basic = `Basic ${btoa(`${user.username}:${user.password}`)}`;

  const tokenFor = (scopes: readonly string[]): string => {
    const now = Math.floor(Date.now() / 1000);
    const access = scopes.map((scope) => {
      const [type, name, actions = ""] = scope.split(":");
      return { type, name, actions: actions.split(",") };
    });
    const claims = {
      iss: TOKEN_ISSUER,
      sub: user.username,
      aud: TOKEN_SERVICE,
      exp: now + 300,
      nbf: now - 10,
      iat: now,
      jti: randomUUID(),
      access,
    };
    const parts = [{ typ: "JWT", alg: "RS256", x5c }, claims];
    const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
    const signature = createSign("sha256").update(text.join(".")).sign(key, "base64url");
    return [...text, signature].join(".");
  };

  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    if (request.headers.authorization !== basic) return void response.writeHead(401).end("{}");
    const scopes = new URL(request.url ?? "", "http://here").searchParams.getAll("scope");
    const body = JSON.stringify({ token: tokenFor(scopes.flatMap((scope) => scope.split(" "))) });
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    issuersPem,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
