import { readFile } from "node:fs/promises";
import { getRequestListener } from "@hono/node-server";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { listen } from "@sealhouse/http-server";
import { createLog } from "../../src/log.ts";
import { openRegistry } from "../../src/registry.ts";
import { loadConfig } from "../../src/settings/load.ts";
import type { Ran } from "../../src/testing/index.ts";
import { runInProcess } from "../../src/testing/index.ts";
import { makeServerCertificate } from "./certificate-authority.ts";
import { openFolder } from "./client.ts";

/** A registry in this process, over https, whose clock can be moved. */
export type ClockedFeed = AsyncDisposable & {
  /** `Host__DataPath`. */
  readonly folder: string;
  /** Lines of its log. */
  readonly lines: readonly string[];
  /** Address of its service index. */
  readonly source: string;
  /** PEM file of the authority of its TLS certificate. */
  readonly authority: string;
  readonly clock: { aheadMs: number };
  /** Pushes a package, and resolves to the status. */
  push(id: string): Promise<number>;
  /** Upper-case fingerprints of the listed certificates. */
  pins(): Promise<readonly string[]>;
  /** The check of signing in `/health`. */
  signingHealth(): Promise<{ readonly status: string; readonly description?: string }>;
  /** Runs a command with the settings of the host while it runs. */
  cli(...words: readonly string[]): Promise<Ran>;
};

export async function openClockedFeed(
  own: Readonly<Record<string, string>> = {},
): Promise<ClockedFeed> {
  await using opened = new AsyncDisposableStack();
  const { path: folder } = opened.use(await openFolder());
  const tls = await makeServerCertificate(folder);
  const env = {
    ASPNETCORE_ENVIRONMENT: "Development",
    Host__DataPath: folder,
    Signing__SelfSigned__KeySize: "KeySize2048",
    Signing__TimestampServerUrl: "",
    ...own,
  };
  const clock = { aheadMs: 0 };
  const now = () => new Date(Date.now() + clock.aheadMs);
  const lines: string[] = [];
  const registry = opened.use(
    await openRegistry(loadConfig({ env, workingFolder: folder }).config, {
      log: createLog({ level: "Information", format: "Json" }, (line) => lines.push(line)),
      now,
    }),
  );
  const answer = getRequestListener((request, bindings) => registry.fetch(request, bindings));
  const server = await listen({
    addresses: [{ text: "test", protocol: "https", hosts: ["127.0.0.1"], port: 0 }],
    idleTimeoutMs: 60_000,
    certificate: { cert: await readFile(tls.certificate), key: await readFile(tls.key) },
    listener: answer,
  });
  opened.defer(async () => void (await server.stop(1_000)));
  const cli = (...words: readonly string[]) => runInProcess(words, { folder, env, now });
  const token = (await cli("token", "create", "--name", "test", "--scopes", "read,write")).printed;
  const owned = opened.move();
  return {
    folder,
    lines,
    source: `${server.urls[0]?.replace("127.0.0.1", "localhost")}/v3/index.json`,
    authority: tls.authority,
    clock,
    async push(id) {
      const body = Buffer.from(buildNupkg({ id, version: "1.0.0", files: { "a.txt": id } }));
      const request = { method: "PUT", headers: { "x-nuget-apikey": token }, body };
      return (await registry.fetch(new Request("http://x/api/v2/package", request))).status;
    },
    async pins() {
      const index = new Request("http://x/v3/repository-signatures/index.json");
      const { signingCertificates } = (await (await registry.fetch(index)).json()) as {
        signingCertificates: readonly { fingerprints: Record<string, string> }[];
      };
      const all = signingCertificates.flatMap(({ fingerprints }) => Object.values(fingerprints));
      return all.map((fingerprint) => fingerprint.toUpperCase());
    },
    async signingHealth() {
      const headers = { accept: "application/json" };
      const health = await registry.fetch(new Request("http://x/health", { headers }));
      if (health.status !== 200) throw new Error(`/health answered ${health.status}`);
      const { checks } = (await health.json()) as {
        checks: { signing: { status: string; description?: string } };
      };
      return checks.signing;
    },
    cli,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
