import { createServer as createHttpsServer } from "node:https";
import { createServer as createHttpServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { AsyncDisposableStack } from "@sealhouse/disposable-stack";
import { createTestServerCertificate } from "@sealhouse/repo-signing/testing";
import { answerTokenRequest, createTokens } from "./entra-stand-in.ts";
import { answerVaultRequest } from "./vault-requests.ts";
import type {
  Application,
  VaultOperation,
  VaultState,
  VaultTrouble,
  VersionInVault,
} from "./vault-state.ts";

export { appServiceEnvironment, instanceMetadataEnvironment } from "./entra-stand-in.ts";
export type { VersionInVault } from "./vault-state.ts";

/**
 * A stand-in for a vault of Azure Key Vault and for the two sources of tokens, over the wire: TLS
 * with a certificate from the test root, the bearer challenge, versions, real signatures.
 */
export type AzureKeyVaultStandIn = AsyncDisposable & {
  /** `https://localhost:…`; the token server has the same address. */
  readonly url: string;
  /** The endpoint of managed identities: plain http, as on every machine of Azure. */
  readonly identityUrl: string;
  readonly tenantId: string;
  readonly application: Application;
  /** The versions of a name, the latest version last. */
  readonly certificates: Map<string, readonly VersionInVault[]>;
  readonly troubles: Map<VaultOperation, VaultTrouble>;
  /** `GET /certificates/feed/`, in order, without those that had no token yet. */
  readonly requests: readonly string[];
  /** Bodies of token requests and the query of those to the identity endpoint. */
  readonly tokenRequests: readonly string[];
};

export async function openAzureKeyVaultStandIn(): Promise<AzureKeyVaultStandIn> {
  await using opened = new AsyncDisposableStack();
  const state = {
    url: "",
    tenantId: "0f4e2d6a-1111-4222-8333-444455556666",
    application: { clientId: "9b1c0001-aaaa-4bbb-8ccc-ddddeeeeffff", clientSecret: "s3cret~value" },
    certificates: new Map<string, readonly VersionInVault[]>(),
    troubles: new Map<VaultOperation, VaultTrouble>(),
    requests: [],
    tokenRequests: [],
    tokens: createTokens(),
  };
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void answer(request, response, state).catch(() => response.destroy());
  const vault = createHttpsServer(await createTestServerCertificate(), listener);
  const port = await listen(vault, opened);
  state.url = `https://localhost:${port}`;
  const identityPort = await listen(createHttpServer(listener), opened);
  const owned = opened.move();
  const { tokens: _, ...shown } = state;
  return {
    ...shown,
    identityUrl: `http://127.0.0.1:${identityPort}`,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  state: VaultState,
): Promise<void> {
  const url = new URL(request.url ?? "/", "https://localhost");
  const body = (await request.setEncoding("utf8").toArray()).join("");
  const vaultRequest = { method: request.method ?? "", url, headers: request.headers, body };
  const reply = answerTokenRequest(vaultRequest, state) ?? answerVaultRequest(vaultRequest, state);
  if (reply === "silence") return;
  if (reply === "cut") {
    request.socket.destroy();
    return;
  }
  response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
  response.end(JSON.stringify(reply.body));
}

async function listen(server: Server, opened: AsyncDisposableStack): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}
