import { createHash } from "node:crypto";
import type { ByteSource } from "@sealhouse/http-responses";
import { lowerId } from "@sealhouse/nuget-protocol";
import type {
  PackageContent,
  PackageFiles,
  PackageLookup,
  ProvenanceLookup,
  StoredPackage,
  SymbolCatalog,
} from "@sealhouse/nuget-protocol";
import type { VersionChoice } from "../group/choose-version.ts";
import type { MemberFile, NuGetMember } from "../publishers/contents.ts";
import type { FileDigests, ReleaseMember } from "../model/release.ts";
import type { NuGetContent } from "../model/publish-target.ts";
import type { HeldContents } from "./held-contents.ts";
import { verifiedFile } from "./verified-file.ts";

/** The ports of the feed that releases read NuGet packages from. */
export type NuGetMemberPorts = {
  readonly lookup: Pick<PackageLookup, "find" | "summaries" | "versions">;
  readonly provenance: ProvenanceLookup;
  readonly files: Pick<PackageFiles, "read">;
  /** With our signature, where packages are signed. */
  readonly content: PackageContent;
  readonly symbols: Pick<SymbolCatalog, "findPackage">;
  readonly held: Pick<HeldContents, "nuget">;
};

const NUPKG = "application/zip";

export async function nugetVersions(
  { lookup }: NuGetMemberPorts,
  id: string,
): Promise<readonly VersionChoice[]> {
  const summaries = await lookup.summaries(lowerId(id));
  return summaries.map(({ version, listed }) => ({ version, isListed: listed, tags: [] }));
}

/** Why a version may no longer be released. */
export async function nugetWithdrawal(
  { lookup }: NuGetMemberPorts,
  { name, version }: Pick<ReleaseMember, "name" | "version">,
): Promise<string | undefined> {
  const [id, number] = keyOf(name, version);
  const [found] = await lookup.versions(id, [number]);
  if (!found) return "it was deleted";
  return found.listed ? undefined : "it was unlisted";
}

export async function describeNuGet(
  ports: NuGetMemberPorts,
  id: string,
  { version }: VersionChoice,
): Promise<ReleaseMember | undefined> {
  const key = keyOf(id, version);
  const stored = await ports.lookup.find(...key);
  const facts = await ports.provenance.find(...key);
  if (!stored || !facts || stored.blob.isDamaged) return undefined;
  const { sha256, sha512, size } = facts.received;
  const received = { sha256, sha512: Buffer.from(sha512, "base64").toString("hex") };
  const sealed = stored.seal ? await digestsOf(await ports.content.open(stored)) : undefined;
  return {
    protocol: "nuget",
    name: stored.id,
    version: stored.version,
    size,
    mediaType: NUPKG,
    received,
    ...(sealed && sealed.sha256 !== sha256 && { sealed }),
    tags: [],
  };
}

export async function openNuGet(
  ports: NuGetMemberPorts,
  member: ReleaseMember,
  content: NuGetContent,
): Promise<NuGetMember | undefined> {
  const { name, version, received, sealed } = member;
  const key = keyOf(name, version);
  const found = await ports.lookup.find(...key);
  const isFrozen = found?.blob.sha256 === received.sha256;
  // After a deletion, the release still holds what it froze.
  const stored = isFrozen ? found : await ports.held.nuget(member);
  if (!stored) return undefined;
  const file =
    content === "Sealed" && sealed
      ? verifiedFile(await ports.content.open(stored), sealed.sha512)
      : verifiedFile(receivedFile(ports, stored), received.sha512);
  const symbols = isFrozen ? await symbolsOf(ports, key) : undefined;
  return { file, ...(symbols && { symbols }) };
}

/** Ids and versions are lower-cased in lookups. */
function keyOf(id: string, version: string): readonly [id: string, version: string] {
  return [lowerId(id), version.toLowerCase()];
}

function receivedFile(
  { files }: NuGetMemberPorts,
  { blob }: StoredPackage,
): Pick<ByteSource, "size" | "read"> {
  return { size: blob.size, read: (range) => files.read(blob.key, range) };
}

async function symbolsOf(
  { symbols, files }: NuGetMemberPorts,
  key: readonly [id: string, version: string],
): Promise<MemberFile | undefined> {
  const blob = await symbols.findPackage(...key);
  if (!blob || blob.isDamaged) return undefined;
  const { sha512 } = await digestsOf({ read: () => files.read(blob.key) });
  return verifiedFile({ size: blob.size, read: () => files.read(blob.key) }, sha512);
}

async function digestsOf({ read }: Pick<ByteSource, "read">): Promise<FileDigests> {
  const [sha256, sha512] = [createHash("sha256"), createHash("sha512")];
  for await (const chunk of read()) {
    sha256.update(chunk);
    sha512.update(chunk);
  }
  return { sha256: sha256.digest("hex"), sha512: sha512.digest("hex") };
}
