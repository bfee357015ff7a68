import { setTimeout as delay } from "node:timers/promises";
import { expectStatus } from "./expect-status.ts";
import type { NpmManifest } from "./npm-publish-body.ts";
import { packTarball, publishBody } from "./npm-publish-body.ts";

export type NpmFeed = { readonly url: string; readonly token: string };

/** Publishes a version whose tarball has this number of incompressible bytes. */
export async function publishNpmVersion(
  { url, token }: NpmFeed,
  { name, version, bytes }: { readonly name: string; version: string; readonly bytes: number },
): Promise<void> {
  const manifest = manifestOf(name, version);
  const tarball = await packTarball(manifest, bytes);
  // Connections that were closed in the meantime are noticed.
  await delay(10);
  const answer = await fetch(`${url}/${name}`, {
    method: "PUT",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      // While a large body is made, servers close connections that stand open.
      connection: "close",
    },
    body: Buffer.concat([...publishBody(manifest, tarball)]),
  });
  await expectStatus(answer, 200, 201);
}

function manifestOf(name: string, version: string): NpmManifest {
  return {
    name,
    version,
    description: "for the benchmarks",
    main: "index.js",
    license: "MIT",
    keywords: ["bench", "registry"],
    repository: { type: "git", url: `git+https://example.com/${name}.git` },
    scripts: { test: "node --test", build: "tsc -p ." },
    dependencies: { "bench-one": "^1.0.0", "bench-two": "^2.0.0" },
    engines: { node: ">=20" },
  };
}
