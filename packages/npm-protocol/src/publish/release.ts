import type { DistTag } from "../dist-tag.ts";
import { parseDistTag, PUBLISHED_TAGS_MAX } from "../dist-tag.ts";
import { NpmError } from "../errors.ts";
import type { TarballDigests } from "../integrity.ts";
import { fitsIntegrity } from "../integrity.ts";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import type { PackageName } from "../package-name.ts";
import type { PackageAccess } from "../owners/ports.ts";
import type { PackageVersion } from "../package-version.ts";
import { parsePackageVersion } from "../package-version.ts";

/** The consistent content of a publish document. */
export type Release = {
  readonly name: PackageName;
  readonly version: PackageVersion;
  readonly tags: readonly DistTag[];
  /** The manifest of the request, unchanged. */
  readonly sent: JsonObject;
  readonly access?: PackageAccess;
  readonly readme?: string;
  readonly readmeFilename?: string;
  /** A Sigstore bundle, JSON text, not read yet. */
  readonly provenance?: string;
  /** Hashes and length from the client, to be compared with the bytes. */
  readonly claimed: {
    readonly length?: number;
    readonly integrity?: string;
    readonly shasum?: string;
  };
};

const README_BYTES_MAX = 64 * 1024;

/** Reads a publish document for `name`, the name in the address. Throws `NpmError` for one that
 * contradicts itself or holds more than one version. */
export function parseRelease(document: JsonObject, name: PackageName): Release {
  const [key, sent] = onlyEntryOf(document["versions"], "versions");
  if (!isObject(sent)) throw invalid("The version's manifest is not an object.");
  const version = parsePackageVersion(key);
  if (!version) throw invalid(`${shown(key)} is not a semantic version.`, "version-invalid");
  checkNames(document, sent, name);
  const inside = sent["version"];
  if (typeof inside !== "string" || parsePackageVersion(inside) !== version) {
    throw invalid(`The manifest of ${version} says that it is version ${shown(inside)}.`);
  }
  const readme = [document["readme"], sent["readme"]].find((text) => typeof text === "string");
  const file = sent["readmeFilename"] ?? document["readmeFilename"];
  const { access } = document;
  const { tarball, provenance } = attachmentsOf(document["_attachments"]);
  return {
    name,
    version,
    tags: tagsOf(document["dist-tags"], version),
    sent,
    ...((access === "public" || access === "restricted") && { access }),
    ...(readme !== undefined && readme !== "" && { readme: shortened(readme) }),
    ...(typeof file === "string" && file !== "" && { readmeFilename: file.slice(0, 255) }),
    ...(provenance !== undefined && { provenance }),
    claimed: claimedBy(tarball, sent["dist"]),
  };
}

/** Throws `NpmError` `integrity-differs` when the bytes are not the ones the client packed. */
export function checkTarball(
  { claimed, name, version }: Release,
  received: { readonly size: number; readonly digests: TarballDigests },
): void {
  const { size, digests } = received;
  const { length = size, integrity, shasum = digests.sha1 } = claimed;
  const problems = [
    length !== size && `it has ${size} bytes, not ${length}`,
    integrity !== undefined && !fitsIntegrity(integrity, digests) && "its integrity is another",
    shasum.toLowerCase() !== digests.sha1 && "its shasum is another",
  ].filter((problem) => problem !== false);
  if (problems.length === 0) return;
  throw new NpmError(
    "integrity-differs",
    `The tarball of ${name}@${version} does not match its hash: ${problems.join(", ")}. ` +
      "Publish again.",
  );
}

function checkNames(document: JsonObject, sent: JsonObject, name: PackageName): void {
  const { _id: id = name } = document;
  for (const statedName of [document["name"], id, sent["name"]]) {
    if (statedName !== name)
      throw invalid(`The body is about ${shown(statedName)}, the address about ${name}.`);
  }
}

function tagsOf(tags: unknown, version: PackageVersion): readonly DistTag[] {
  const entries = isObject(tags) ? Object.entries(tags) : [];
  if (entries.length === 0) throw invalid("The body names no dist-tag for the version.");
  if (entries.length > PUBLISHED_TAGS_MAX) {
    throw invalid(
      `The body names ${entries.length} dist-tags; a publish sets at most ${PUBLISHED_TAGS_MAX}. ` +
        "Set further ones with npm dist-tag add.",
    );
  }
  return entries.map(([text, target]) => {
    const tag = parseDistTag(text);
    if (!tag) throw invalid(`${shown(text)} cannot be a dist-tag.`, "tag-invalid");
    if (typeof target !== "string" || parsePackageVersion(target) !== version) {
      throw invalid(`The dist-tag ${tag} points to ${shown(target)}, not to ${version}.`);
    }
    return tag;
  });
}

/** One tarball, and optionally its provenance bundle: plain JSON, not base64. */
function attachmentsOf(attachments: unknown): {
  readonly tarball: JsonObject;
  readonly provenance?: string;
} {
  const entries = isObject(attachments) ? Object.entries(attachments) : [];
  const isBundle = ([name]: readonly [string, unknown]) => name.endsWith(".sigstore");
  const bundles = entries.filter(isBundle);
  const rest = Object.fromEntries(entries.filter((entry) => !isBundle(entry)));
  const [, tarball] = onlyEntryOf(rest, "_attachments, besides a provenance statement");
  if (!isObject(tarball) || typeof tarball["data"] !== "string") {
    throw invalid("The tarball's attachment has no data.");
  }
  if (bundles.length === 0) return { tarball };
  const [, bundle] = onlyEntryOf(Object.fromEntries(bundles), "_attachments with .sigstore");
  const provenance = isObject(bundle) ? bundle["data"] : undefined;
  if (typeof provenance !== "string") throw invalid("The provenance attachment has no data.");
  return { tarball, provenance };
}

function claimedBy(attachment: JsonObject, dist: unknown): Release["claimed"] {
  const { length } = attachment;
  const { integrity, shasum } = isObject(dist) ? dist : {};
  return {
    ...(typeof length === "number" && { length }),
    ...(typeof integrity === "string" && { integrity }),
    ...(typeof shasum === "string" && { shasum }),
  };
}

function onlyEntryOf(value: unknown, what: string): readonly [string, unknown] {
  const entries = isObject(value) ? Object.entries(value) : [];
  const [entry] = entries;
  if (!entry || entries.length > 1) {
    throw invalid(`The body must have exactly one entry in ${what}; it has ${entries.length}.`);
  }
  return entry;
}

/** At most 64 KiB of it, cut between characters. */
export function shortened(readme: string): string {
  const bytes = Buffer.from(readme);
  if (bytes.length <= README_BYTES_MAX) return bytes.toString("utf8");
  let end = README_BYTES_MAX;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

function invalid(
  message: string,
  code: "document-invalid" | "version-invalid" | "tag-invalid" = "document-invalid",
): NpmError {
  return new NpmError(code, message);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 100);
}
