import type { Caller } from "@sealhouse/request-types";
import type { DistTag } from "../dist-tag.ts";
import { parseDistTag } from "../dist-tag.ts";
import { NpmError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { isObject } from "../json.ts";
import type { PackageName } from "../package-name.ts";
import { NAME_LENGTH_MAX } from "../package-name.ts";
import { parsePackageVersion } from "../package-version.ts";
import type { NpmPorts, Published, StagedTarball } from "../ports.ts";
import type { NewNpmVersion } from "../npm-version.ts";
import {
  checkProvenance,
  checkStaged,
  differenceNotices,
  keepBytes,
  limited,
  requireDeclared,
} from "./publish.ts";
import type { Release } from "./release.ts";
import { shortened } from "./release.ts";

/** A version in the metadata of another registry. */
export type ForeignVersion = {
  readonly name: PackageName;
  readonly version: string;
  /** With the `dist` that its bytes are compared with. */
  readonly manifest: JsonObject;
  readonly body: AsyncIterable<Uint8Array>;
  /** By whom it was published there. */
  readonly publisher: string;
  readonly publishedAt: Date;
  /** Tags that point to the version here. */
  readonly tags: readonly string[];
  readonly readme?: string;
  readonly readmeFilename?: string;
  /** A Sigstore bundle, JSON text. */
  readonly provenance?: string;
};

/** Options of `adoptVersion`. */
export type AdoptOptions = {
  /** On whose behalf, for the events. */
  readonly caller: Caller;
  readonly now: Date;
  /** Size of the tarball in bytes. */
  readonly tarballBytesMax: number;
  /** Checks everything, and keeps nothing. */
  readonly dryRun?: boolean;
  /**
   * The package source that the version comes from. Clients get the document of that source, so its
   * manifest may differ from the tarball.
   */
  readonly mirroredFrom?: string;
};

/** `remarks`: omitted parts with the reason, and hints for users. */
export type Adopted = {
  readonly outcome: Published | { readonly status: "wanted" };
  readonly remarks: readonly string[];
};

/** Ports of `adoptVersion`. */
export type AdoptPorts = Pick<NpmPorts, "files" | "recorder" | "verifyBundle">;

/**
 * Takes in a version that another registry has published, through every check that a publish goes
 * through, with the time it was published then. Older names than today's rules allow may stay; a
 * statement about where it comes from that cannot be verified is left out.
 * Throws `NpmError` for what the protocol or the tarball rules forbid.
 */
export async function adoptVersion(
  { files, recorder, verifyBundle }: AdoptPorts,
  foreignVersion: ForeignVersion,
  options: AdoptOptions,
): Promise<Adopted> {
  const release = releaseOf(foreignVersion);
  const body = limited(foreignVersion.body, options.tarballBytesMax);
  await using staged = await files.stage(body, { hashes: ["sha1", "sha256", "sha512"] });
  const { mirroredFrom } = options;
  const check = mirroredFrom === undefined ? checkImported : checkStaged;
  const { version, notices } = await check(release, staged, foreignVersion);
  const { attestations, remarks: leftOut } = await provenanceOf({ verifyBundle }, release, staged);
  const remarks = [...notices, ...leftOut];
  if (options.dryRun) return { outcome: { status: "wanted" }, remarks };
  const outcome = await keepBytes(
    staged,
    (blob) =>
      recorder.publish(
        {
          ...version,
          ...(attestations && { attestations }),
          recordedAt: options.now,
          blob,
          mirroredFrom,
        },
        options.caller,
      ),
    (recorded) => recorded.status === "published" && !recorded.isDuplicate,
  );
  return { outcome, remarks };
}

/**
 * Checks a version that will be served with the fields of its tarball. Scripts that run around a
 * pack may change package.json, so a published version may differ from its manifest.
 */
async function checkImported(
  release: Release,
  staged: StagedTarball,
  foreignVersion: ForeignVersion,
): ReturnType<typeof checkStaged> {
  const { differing, ...checked } = await checkStaged(release, staged, foreignVersion);
  const identity = differing.filter((field) => field === "name" || field === "version");
  requireDeclared(release, identity);
  const notices = [...checked.notices, ...differenceNotices(differing)];
  return { ...checked, differing, notices };
}

function releaseOf(foreignVersion: ForeignVersion): Release {
  const { name, manifest, readme, readmeFilename, provenance } = foreignVersion;
  if (name.length > NAME_LENGTH_MAX) {
    throw invalid(`The name is longer than the ${NAME_LENGTH_MAX} characters a name may have.`);
  }
  const version = parsePackageVersion(foreignVersion.version);
  if (!version)
    throw invalid(`"${foreignVersion.version.slice(0, 80)}" is not a semantic version.`);
  const inside = manifest["version"];
  const fits = typeof inside === "string" && parsePackageVersion(inside) === version;
  if (manifest["name"] !== name || !fits) {
    throw invalid(`The manifest of ${version} is of another package or version.`);
  }
  const { integrity, shasum } = isObject(manifest["dist"]) ? manifest["dist"] : {};
  if (typeof integrity !== "string" && typeof shasum !== "string") {
    throw invalid("The source lists no hash of the tarball, so it cannot be verified.");
  }
  return {
    name,
    version,
    tags: foreignVersion.tags.map(parseDistTag).filter((tag): tag is DistTag => tag !== undefined),
    sent: manifest,
    ...(readme !== undefined && { readme: shortened(readme) }),
    ...(readmeFilename !== undefined && { readmeFilename: readmeFilename.slice(0, 255) }),
    ...(provenance !== undefined && { provenance }),
    claimed: {
      ...(typeof integrity === "string" && { integrity }),
      ...(typeof shasum === "string" && { shasum }),
    },
  };
}

async function provenanceOf(
  ports: Pick<NpmPorts, "verifyBundle">,
  release: Release,
  staged: StagedTarball,
): Promise<Pick<Adopted, "remarks"> & Pick<NewNpmVersion, "attestations">> {
  try {
    return { ...(await checkProvenance(ports, release, staged)), remarks: [] };
  } catch (error) {
    if (!(error instanceof NpmError) || error.code !== "provenance-refused") throw error;
    return { remarks: [`${error.message} It was left out.`] };
  }
}

function invalid(message: string): NpmError {
  return new NpmError("document-invalid", message);
}
