import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { openDatabase } from "@sealhouse/database";
import { openKeyRing } from "@sealhouse/identity";
import { buildImage } from "@sealhouse/oci-distribution/testing";
import type { TestBlob, TestManifest } from "@sealhouse/oci-distribution/testing";
import { openStoredSources, SOURCE_DEFAULTS } from "@sealhouse/upstream-sources";
import type { PackageSource } from "@sealhouse/upstream-sources";
import { spawnHost } from "../../src/testing/index.ts";
import type { TestHost } from "../../src/testing/index.ts";
import { sourcesRead } from "./add-source.ts";

export type ImageSource = {
  readonly name: string;
  readonly url: string;
  readonly surface?: string;
  readonly credentials?: PackageSource["credentials"];
  /** Details that differ from the defaults of tests. */
  readonly settings?: object;
};

export type Asked = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
};

/** A host that mirrors images. */
export type MirrorHost = AsyncDisposable &
  Pick<TestHost, "url" | "folder" | "cli" | "makeToken"> & {
    /** `path` is below `/v2/`. */
    ask(path: string, init?: RequestInit): Promise<Asked>;
  };

export async function startMirrorHost(
  sources: readonly ImageSource[],
  env: Readonly<Record<string, string>> = {},
): Promise<MirrorHost> {
  const host = await spawnHost({
    env: { Signing__Mode: "", Feed__Oci__Default__Enabled: "true", ...env },
  });
  const path = join(host.folder, "dataprotection-keys");
  const applicationName = "Sealhouse";
  const keyRing = await openKeyRing({ path, applicationName, random: randomBytes });
  await using database = await openDatabase({
    type: "Sqlite",
    path: join(host.folder, "sealhouse.db"),
  });
  const stored = openStoredSources(database.upstream.sources, keyRing);
  for (const source of sources) await stored.put(sourceOf(source), { actor: "test" });
  await sourcesRead();
  return {
    url: host.url,
    folder: host.folder,
    cli: (...words) => host.cli(...words),
    makeToken: (options) => host.makeToken(options),
    async ask(target, init) {
      const response = await host.fetch(`/v2/${target}`, init);
      const bytes = await response.bytes();
      const text = Buffer.from(bytes).toString();
      return { status: response.status, headers: response.headers, bytes, text };
    },
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

function sourceOf({ name, url, surface, credentials, settings }: ImageSource): PackageSource {
  return {
    name,
    protocol: "oci",
    url: new URL(url),
    type: "upstream",
    priority: 1,
    strategy: "IndexAndCache",
    signaturePolicy: "Resign",
    isEnabled: true,
    from: "database",
    settings: {
      ...SOURCE_DEFAULTS,
      allowPrivateNetwork: true,
      revalidateAfterMs: 200,
      negativeForMs: 100,
      ...settings,
    },
    ...(surface !== undefined && { surface }),
    ...(credentials && { credentials }),
  };
}

/** An image with a layer that is longer than the part that readers get last. */
export function imageOf(name: string, layerBytes = 200_000): TestManifest {
  return buildImage({ config: `{"of":"${name}"}`, layers: [randomBytes(layerBytes)] });
}

export function layerOf({ blobs }: TestManifest): TestBlob {
  const [, layer] = blobs;
  if (!layer) throw new Error("the image has no layer");
  return layer;
}
