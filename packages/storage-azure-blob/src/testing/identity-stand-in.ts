import { createServer } from "node:http";

const HEADER = "identity-header-of-the-stand-in";
const AUDIENCE = "https://storage.azure.com";
const LIFE_SECONDS = 3600;

/** A stand-in for the identity endpoint of a machine, as App Service has it. */
export type IdentityStandIn = AsyncDisposable & {
  /** The variables with which the SDK finds it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The client ids that it was asked for; `system` without one. */
  readonly clientIds: string[];
};

/** Starts an endpoint that gives tokens for storage. Azurite does not verify their signature. */
export async function startIdentityEndpoint(): Promise<IdentityStandIn> {
  const clientIds: string[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://stand-in");
    const isAllowed = request.headers["x-identity-header"] === HEADER;
    if (!isAllowed || searchParams.get("resource") !== AUDIENCE) {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: "invalid_request" }));
      return;
    }
    clientIds.push(searchParams.get("client_id") ?? "system");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(tokenAnswer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("no port");
  return {
    environment: {
      IDENTITY_ENDPOINT: `http://127.0.0.1:${address.port}/msi/token`,
      IDENTITY_HEADER: HEADER,
    },
    clientIds,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function tokenAnswer() {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    aud: AUDIENCE,
    iss: "https://sts.windows.net/00000000-0000-4000-8000-000000000000/",
    iat: now,
    nbf: now - 60,
    exp: now + LIFE_SECONDS,
    tid: "00000000-0000-4000-8000-000000000000",
    oid: "11111111-1111-4111-8111-111111111111",
  };
  const parts = [{ alg: "RS256", typ: "JWT" }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  return {
    access_token: `${parts.join(".")}.c2lnbmF0dXJl`,
    expires_on: String(claims.exp),
    expires_in: String(LIFE_SECONDS),
    resource: AUDIENCE,
    token_type: "Bearer",
  };
}
