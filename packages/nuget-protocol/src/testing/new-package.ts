import type { Caller } from "@sealhouse/request-types";
import { createHash } from "node:crypto";
import { parsePackageVersion } from "../notation/package-version.ts";
import type { NewPackage } from "../ports.ts";

export const testCaller: Caller = { actor: "token:test", requestId: "request-1" };

/** Fields of the manifest of an invented version. */
type ManifestTexts = {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly authors: string;
  readonly packageTypes: readonly string[];
};

/** Fields of a version that a test sets; the others are invented. */
export type GivenPackage = Partial<NewPackage & ManifestTexts>;

/** A version as `publish` hands it to the recorder, with made-up but well-formed content. */
export function newPackage(
  identity: { readonly id: string; readonly version: string },
  fields: GivenPackage = {},
): NewPackage {
  const { title = "", description = "", tags = [], authors = "acme", ...others } = fields;
  const { packageTypes = ["Dependency"], ...overrides } = others;
  const version = parsePackageVersion(identity.version);
  if (!version) throw new TypeError(`"${identity.version}" is not a version`);
  const content = `${identity.id.toLowerCase()} ${version.normalized.toLowerCase()}`;
  const sha256 = createHash("sha256").update(content).digest("hex");
  const types = packageTypes.map((name) => ({ name }));
  const details = { id: identity.id, version: version.full, authors, title, description, tags };
  return {
    id: identity.id,
    version: version.normalized,
    fullVersion: version.full,
    isPrerelease: version.isPrerelease,
    isSemVer2: version.isSemVer2,
    publishedAt: new Date("2026-01-02T03:04:05.678Z"),
    details: JSON.stringify({ ...details, packageTypes: types }),
    nuspec: Buffer.from(`<package>${content}</package>`),
    blob: { key: `nuget/blobs/sha256/${sha256.slice(0, 2)}/${sha256}.1`, size: 1234, sha256 },
    sha512: createHash("sha512").update(content).digest("base64"),
    targetFrameworks: [],
    dependencyIds: [],
    ...overrides,
  };
}
