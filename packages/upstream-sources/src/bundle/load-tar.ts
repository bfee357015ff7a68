import { loadPeer } from "@sealhouse/settings";

/** Loads a library of tar files. @throws {PeerMissingError} when it is not installed */
export function loadTar<T>(feature: string, library: string, load: () => Promise<T>): Promise<T> {
  const manifest = import.meta.resolve("@sealhouse/upstream-sources/package.json");
  return loadPeer({ feature, packages: [library], manifest }, load);
}
