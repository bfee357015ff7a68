import { volatilePlaceOf } from "./key-folder-place.ts";
import type { VolatilePlace } from "./key-folder-place.ts";

const PLACES: Readonly<Record<VolatilePlace, string>> = {
  memory: "in memory (tmpfs): its keys are lost when the machine restarts",
  "container-layer":
    "on an overlay file system, such as the layer of a container: " +
    "its keys are lost with the container",
};

/** Warnings about a key ring without a path or in a volatile folder; none in Development. */
export async function placeWarnings({
  development,
  host,
}: {
  readonly development: boolean;
  readonly host: { readonly keyRing: { readonly path: string; readonly isDefault: boolean } };
}): Promise<readonly string[]> {
  if (development) return [];
  const { path, isDefault } = host.keyRing;
  const place = await volatilePlaceOf(path);
  return [
    ...(isDefault ? [unsetKeyRing(path)] : []),
    ...(place ? [volatileKeyRing(path, place)] : []),
  ];
}

function unsetKeyRing(path: string): string {
  return (
    `Host__DataProtection__KeyPath is not set, so the key ring is in ${path}. Set it to a folder ` +
    "that is durable, backed up, and the same on all instances."
  );
}

function volatileKeyRing(path: string, place: VolatilePlace): string {
  return `The key ring ${path} is ${PLACES[place]}. Set Host__DataProtection__KeyPath to a volume.`;
}

/** Text about a key ring without its former keys. */
export function lostKeyRing(path: string): string {
  return (
    `The key ring ${path} held no key, so a new one was made. What the former key encrypted (the ` +
    "key of npm's signatures, the self-signed certificate) cannot be read: stop the host, and " +
    "restore the folder from a backup."
  );
}
