import type { BundleContents, ReadBlob } from "./bundle-contents.ts";
import { TITLE } from "./bundle-format.ts";
import type { Collected } from "./collected.ts";
import { ABSENT, BUNDLED, refused } from "./collected.ts";

/** The packages of a protocol in a bundle: media types, and reasons not to add a version. */
export type PackageKind = {
  readonly artifactType: string;
  readonly configType: string;
  readonly mediaType: string;
  readonly damaged: string;
  readonly unwanted: string;
};

/** A stored version that a lock file lists. */
export type StoredPackage = {
  readonly title: string;
  readonly file: { readonly name: string; readonly sha256: string; readonly size: number };
  readonly isDamaged: boolean;
  /** Whether it has the content that the lock file names. */
  readonly isWanted: boolean;
  readonly read: ReadBlob;
  /** The description that an import reads. */
  config(): object | Promise<object>;
};

/** Adds a stored version with its description; undefined: the registry does not have it. */
export async function collectPackage(
  { artifactType, configType, mediaType, damaged, unwanted }: PackageKind,
  stored: StoredPackage | undefined,
  contents: BundleContents,
): Promise<Collected> {
  if (!stored) return ABSENT;
  if (stored.isDamaged) return refused(damaged);
  if (!stored.isWanted) return refused(unwanted);
  const { title, file, read } = stored;
  const config = await stored.config();
  const annotations = { [TITLE]: file.name };
  const { size } = file;
  const layer = { mediaType, digest: `sha256:${file.sha256}`, size, annotations, read } as const;
  contents.addPackage({ artifactType, configType, config, title, layer });
  return BUNDLED;
}
