import type { JsonObject } from "@sealhouse/npm-protocol";
import type { ImageSource } from "@sealhouse/oci-distribution/client";
import type { NuGetContent } from "../model/publish-target.ts";
import type { ReleaseMember } from "../model/release.ts";

/** A file that can be read more than once. Each reading ends with an error when the bytes do not
 * have the digest that was frozen. */
export type MemberFile = {
  /** Bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha512: string;
  read(): AsyncIterable<Uint8Array>;
};

/** The files of a NuGet package. */
export type NuGetMember = {
  readonly file: MemberFile;
  /** The symbol package of the version. */
  readonly symbols?: MemberFile;
};

/** The manifest and the tarball of an npm version. */
export type NpmMember = {
  readonly manifest: JsonObject;
  readonly file: MemberFile;
  /** SRI of the received file. */
  readonly integrity: string;
  /** SHA-1, lower-case hex. */
  readonly shasum: string;
  readonly readme?: string;
  /** The received Sigstore bundle of the provenance, JSON. */
  readonly provenance?: string;
};

/** Content of the members of a release. Undefined: it no longer exists. */
export interface MemberContents {
  nuget(member: ReleaseMember, content: NuGetContent): Promise<NuGetMember | undefined>;
  npm(member: ReleaseMember): Promise<NpmMember | undefined>;
  image(member: Pick<ReleaseMember, "name" | "version">): ImageSource;
}
