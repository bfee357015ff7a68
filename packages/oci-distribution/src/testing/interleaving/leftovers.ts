import type { Digest } from "../../digest.ts";
import type { Inventory, Oracle } from "./oracle.ts";
import { Violation } from "./oracle.ts";

/** Everything that is left is needed by something that is reached. Objects without a row are not
 * the collector's: they are what crashed uploads leave to the sweep. */
export function checkNothingIsLeft(oracle: Oracle, inventory: Inventory): void {
  const { repositories, blobs } = inventory;
  const linked = new Set<Digest>();
  for (const [name, { manifests, links }] of repositories) {
    const reached = oracle.reached(name);
    for (const digest of manifests.keys()) {
      if (!reached.has(digest)) throw new Violation(`${name}@${digest} is left`);
    }
    const knownManifests = oracle.repositories.get(name)?.manifests;
    const needed = new Set(
      [...reached]
        .flatMap((digest) => knownManifests?.get(digest)?.manifest.edges ?? [])
        .map(digestOf),
    );
    for (const digest of links.keys()) {
      linked.add(digest);
      if (!needed.has(digest)) throw new Violation(`the link ${name}@${digest} is left`);
    }
  }
  for (const [digest, { state }] of blobs) {
    if (state !== "live") throw new Violation(`${digest} is ${state} still`);
    if (!linked.has(digest)) throw new Violation(`the blob ${digest} is left`);
  }
}

function digestOf({ digest }: { readonly digest: Digest }): Digest {
  return digest;
}
