import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import type { NupkgRecipe } from "@sealhouse/nuget-protocol/testing";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnHost } from "../../src/testing/index.ts";
import { makeServerCertificate } from "./certificate-authority.ts";
import type { Ran } from "./client.ts";
import { openFolder } from "./client.ts";
import type { DotnetClient } from "./dotnet-client.ts";
import { createDotnetClient } from "./dotnet-client.ts";

/** A host and a .NET SDK that knows it as its only source, `sealhouse`. */
export type DotnetFeed = AsyncDisposable & {
  readonly host: TestHost;
  readonly client: DotnetClient;
  /** May read, write and delete. */
  readonly token: string;
  /** Writes a package file and resolves to its path. */
  nupkg(recipe: NupkgRecipe): Promise<string>;
  /** `dotnet nuget push`. */
  push(path: string, ...more: readonly string[]): Promise<Ran>;
  /** Straight over HTTP, where the client is not what is tested. */
  put(recipe: NupkgRecipe): Promise<void>;
  /** A second SDK with its own caches and, when given, credentials for the source. */
  anotherClient(credentials?: string): Promise<DotnetClient>;
};

export async function openDotnetFeed(options: {
  readonly scheme: "http" | "https";
  readonly env?: Readonly<Record<string, string>>;
}): Promise<DotnetFeed> {
  await using opened = new AsyncDisposableStack();
  const { scheme, env = {} } = options;
  const { path: folder } = opened.use(await openFolder());
  const tls = scheme === "https" ? await makeServerCertificate(folder) : undefined;
  const host = opened.use(
    await spawnHost({
      scheme,
      env: {
        Signing__TimestampServerUrl: "",
        ...(tls && {
          Kestrel__Certificates__Default__Path: tls.certificate,
          Kestrel__Certificates__Default__KeyPath: tls.key,
        }),
        ...env,
      },
      ...(tls && { authority: tls.authority }),
    }),
  );
  const token = await host.makeToken({ scopes: "read,write,delete" });
  const source = `${host.url}/v3/index.json`;
  const trusting: Readonly<Record<string, string>> = tls ? { SSL_CERT_FILE: tls.authority } : {};
  const clientIn = (home: string, credentials?: string) =>
    createDotnetClient({
      folder: home,
      source,
      env: trusting,
      ...(credentials !== undefined && { credentials }),
    });
  const client = await clientIn(folder, token);
  const owned = opened.move();
  return {
    host,
    client,
    token,
    async nupkg(recipe) {
      const path = join(folder, `${recipe.id}.${recipe.version}.nupkg`);
      await writeFile(path, packageOf(recipe));
      return path;
    },
    push: (path, ...more) =>
      client.run(["nuget", "push", path, "--source", "sealhouse", "--api-key", token, ...more]),
    async put(recipe) {
      const answer = await host.fetch("/api/v2/package/", {
        method: "PUT",
        headers: { "x-nuget-apikey": token, "content-type": "application/octet-stream" },
        body: packageOf(recipe),
      });
      await answer.arrayBuffer();
      if (answer.status !== 201) throw new Error(`push answered ${answer.status}`);
    },
    async anotherClient(credentials) {
      return clientIn(owned.use(await openFolder()).path, credentials);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** With something in it for every framework, so that a project can refer to it. */
function packageOf(recipe: NupkgRecipe): Buffer {
  const { id, version } = recipe;
  const files = { "lib/netstandard2.0/_._": "", "docs/about.txt": `${id} ${version}\n` };
  return Buffer.from(buildNupkg({ ...recipe, files: { ...files, ...recipe.files } }));
}
