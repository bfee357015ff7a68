import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { pemOf, testRootCertificate, trustingSdk } from "@sealhouse/repo-signing/testing";
import type { TestHost } from "../../src/testing/index.ts";
import { spawnCli, spawnHost } from "../../src/testing/index.ts";
import { makeServerCertificate } from "./certificate-authority.ts";
import { openFolder } from "./client.ts";
import type { DotnetClient } from "./dotnet-client.ts";
import { createDotnetClient } from "./dotnet-client.ts";

export type ServerCertificate = Awaited<ReturnType<typeof makeServerCertificate>>;

/** Configuration of the client before its first request. */
export type ClientOptions = {
  /** The path of a `dotnet`, as of an SDK that trusts more. */
  readonly dotnet?: string;
  /** More elements for nuget.config. */
  readonly config?: string;
  /** Default: the host itself. */
  readonly source?: string;
};

/** A host over https, and SDKs that check what it signed. */
export type SignedFeed = AsyncDisposable & {
  readonly host: TestHost;
  readonly folder: string;
  readonly tls: ServerCertificate;
  /** Resolves to the bytes that were pushed. */
  put(id: string, version?: string): Promise<Uint8Array>;
  /** Writes the served package to a file and resolves to its path. */
  served(id: string, version?: string): Promise<string>;
  /** Its certificates, DER, last used first. */
  certificates(): Promise<readonly Uint8Array[]>;
  /** An SDK with its own home, caches and nuget.config. */
  client(options?: ClientOptions): Promise<DotnetClient>;
  /** The `dotnet` of an SDK that has the host's certificates among its roots. */
  trustingDotnet(): Promise<string>;
};

export type SignedFeedOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** Certificate of the feed; by default the feed creates one. */
  readonly tls?: ServerCertificate;
  /** The data of the host; kept when it is given. */
  readonly data?: string;
  /** A command that is run with the host's settings before it starts. */
  readonly before?: readonly string[];
};

export async function openSignedFeed(options: SignedFeedOptions = {}): Promise<SignedFeed> {
  await using opened = new AsyncDisposableStack();
  const { path: folder } = opened.use(await openFolder());
  const { tls = await makeServerCertificate(folder), data, before, env = {} } = options;
  const settings = {
    Kestrel__Certificates__Default__Path: tls.certificate,
    Kestrel__Certificates__Default__KeyPath: tls.key,
    Signing__TimestampServerUrl: "",
    ...env,
  };
  if (before && data !== undefined) {
    const { code, stderr } = await spawnCli(before, { folder: data, env: settings });
    if (code !== 0) throw new Error(`${before.join(" ")} ended with ${code}: ${stderr}`);
  }
  const host = opened.use(
    await spawnHost({
      scheme: "https",
      authority: tls.authority,
      ...(data !== undefined && { folder: data }),
      env: settings,
    }),
  );
  const token = await host.makeToken({ scopes: "read,write" });
  const certificates = () => certificatesOf(host);
  const owned = opened.move();
  return {
    host,
    folder,
    tls,
    certificates,
    async put(id, version = "1.0.0") {
      const body = buildNupkg({ id, version, files: { "about.txt": `${id} ${version}` } });
      const answer = await host.fetch("/api/v2/package/", {
        method: "PUT",
        headers: { "x-nuget-apikey": token, "content-type": "application/octet-stream" },
        body,
      });
      await answer.arrayBuffer();
      if (answer.status !== 201) throw new Error(`push answered ${answer.status}`);
      return body;
    },
    async served(id, version = "1.0.0") {
      const name = `${id}.${version}.nupkg`.toLowerCase();
      const answer = await host.fetch(`/v3/package/${id.toLowerCase()}/${version}/${name}`);
      if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}`);
      const path = join(folder, name);
      await writeFile(path, Buffer.from(await answer.arrayBuffer()));
      return path;
    },
    async client({ source = `${host.url}/v3/index.json`, ...more } = {}) {
      return createDotnetClient({
        ...more,
        folder: owned.use(await openFolder()).path,
        source,
        env: { SSL_CERT_FILE: tls.authority, DOTNET_NUGET_SIGNATURE_VERIFICATION: "true" },
      });
    },
    async trustingDotnet() {
      const roots = {
        codeSigning: (await certificates()).map(pemOf),
        timestamping: [pemOf(await testRootCertificate())],
      };
      const { dotnet } = await trustingSdk(roots, owned.use(await openFolder()).path);
      return dotnet;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function certificatesOf(host: TestHost): Promise<readonly Uint8Array[]> {
  const index = (await (await host.fetch("/v3/repository-signatures/index.json")).json()) as {
    signingCertificates: { contentUrl: string }[];
  };
  return Promise.all(
    index.signingCertificates.map(async ({ contentUrl }) => {
      const answer = await host.fetch(new URL(contentUrl).pathname);
      return new Uint8Array(await answer.arrayBuffer());
    }),
  );
}
