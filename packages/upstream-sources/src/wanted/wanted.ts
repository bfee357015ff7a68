/** A package version that a file lists. */
export type WantedPackage = {
  readonly protocol: "nuget" | "npm";
  readonly name: string;
  /** Without build metadata; NuGet: normalized. */
  readonly version: string;
  /**
   * Subresource integrity, several separated by a blank. npm: of the tarball. NuGet: `sha512-` of
   * the package without its signatures. Undefined when the file has none for it.
   */
  readonly integrity?: string;
  /** Platforms of an optional package; a leading `!` excludes. Undefined: every one. */
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  /** Name of the file. */
  readonly from: string;
};

/** An image that a file lists. */
export type WantedImage = {
  readonly protocol: "oci";
  /** Registry that the reference names, with its port; undefined without one. */
  readonly host?: string;
  /** Repository. */
  readonly name: string;
  /** Digest when the file has one, otherwise the tag. */
  readonly reference: string;
  /** Tag in a reference that also has a digest. */
  readonly tag?: string;
  readonly from: string;
};

/** An entry that a registry may have. */
export type Wanted = WantedPackage | WantedImage;

/** An entry that no registry has. */
export type Unbundled = {
  readonly kind: "git" | "url" | "file" | "workspace" | "invalid";
  readonly name: string;
  readonly reason: string;
  readonly from: string;
};

/** Entries of one file or several. */
export type WantedList = {
  /** Each version once, in the order of the files. */
  readonly wanted: readonly Wanted[];
  readonly unbundled: readonly Unbundled[];
};

/** Whether an installation lacks something without this entry. Projects of a workspace come with
 * the source code that the lock file belongs to. */
export function isGap({ kind }: Unbundled): boolean {
  return kind !== "workspace";
}

/** `left-pad 1.3.0`, `team/app:1.0`, `team/app@sha256:…`. */
export function labelOf(entry: Wanted): string {
  if (entry.protocol !== "oci") return `${entry.name} ${entry.version}`;
  const separator = entry.reference.includes(":") ? "@" : ":";
  const registry = entry.host === undefined ? "" : `${entry.host}/`;
  return `${registry}${entry.name}${separator}${entry.reference}`;
}
