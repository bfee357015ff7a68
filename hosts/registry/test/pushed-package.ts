import { glob } from "node:fs/promises";
import { buildNupkg } from "@sealhouse/nuget-protocol/testing";
import { packageBytesOf, verifyPackage } from "@sealhouse/repo-signing";
import type { PackageVerification } from "@sealhouse/repo-signing";
import type { TestHost } from "../src/testing/index.ts";

/** Pushes version 1.0.0 of a small package, by default with a token made for that. */
export async function push(host: TestHost, id: string, token?: string): Promise<Response> {
  return host.fetch("/api/v2/package/", {
    method: "PUT",
    headers: { "x-nuget-apikey": token ?? (await host.makeToken({ scopes: "write" })) },
    body: buildNupkg({ id, version: "1.0.0", files: { "a.txt": "a" } }),
  });
}

/** Verdict of a client on the served version. `root`: a trusted root; by default none. */
export async function verified(
  host: TestHost,
  id: string,
  root?: Uint8Array,
): Promise<PackageVerification> {
  const file = new Uint8Array(await (await host.fetch(fileOf(id))).arrayBuffer());
  const roots = root ? [root] : [];
  return verifyPackage(packageBytesOf(file), { roots, timestampRoots: roots, now: new Date() });
}

/** Where that version is served. */
export function fileOf(id: string): string {
  const name = id.toLowerCase();
  return `/v3/package/${name}/1.0.0/${name}.1.0.0.nupkg`;
}

/** Files of the NuGet packages that a host keeps in its folder. */
export async function blobsIn(folder: string): Promise<readonly string[]> {
  const paths = await Array.fromAsync(glob("**/nuget/blobs/sha256/*/*", { cwd: folder }));
  return paths.filter((path) => !path.endsWith(".tmp"));
}
