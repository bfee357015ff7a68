import { documentGroup, lowerId, lowerVersion } from "@sealhouse/nuget-protocol";
import { NuGetClientError } from "@sealhouse/nuget-protocol/client";
import type { RegisteredVersion, Revised } from "@sealhouse/nuget-protocol/client";
import type { PackageSource } from "../../../sources/package-source.ts";
import type { DocumentAsk } from "../../documents/document-ask.ts";
import type { FetchedDocument } from "../../documents/kept-after.ts";
import { readRegistration, savedRegistration, withKnownTimes } from "./kept-registration.ts";
import { readRegistered } from "./registered-versions.ts";
import type { ClientOf } from "./source-clients.ts";

export type NamedVersion = { readonly id: string; readonly version: string };

/** Receives what a person should know about a source that works. For the log; must not throw. */
export type OnSourceRemark = (remark: { readonly source: string; readonly text: string }) => void;

/** The documents of sources that are kept. Ids and versions are lower-cased. */
export type SourceDocuments = {
  /** All versions. */
  versions(source: PackageSource, id: string): DocumentAsk;
  /** All versions in full, from all pages. */
  registration(source: PackageSource, id: string): DocumentAsk;
  nuspec(source: PackageSource, named: NamedVersion): DocumentAsk;
  readme(source: PackageSource, named: NamedVersion): DocumentAsk;
};

export function createSourceDocuments(
  clientOf: ClientOf,
  { now, onRemark }: { readonly now: () => Date; readonly onRemark: OnSourceRemark },
): SourceDocuments {
  return {
    versions: (source, id) => ({
      ...documentOf(source, "versions", { id }),
      async fetch({ etag }, signal) {
        const found = await clientOf(source).revisedVersions(id, { etag, signal });
        return fetchedDocument(found, (versions) =>
          versions.length > 0 ? Buffer.from(JSON.stringify({ versions })) : undefined,
        );
      },
    }),
    registration: (source, id) => ({
      ...documentOf(source, "registration", { id }),
      async fetch({ etag }, signal, before) {
        const keptBefore = async () => {
          const bytes = await before();
          return bytes ? readRegistration(bytes) : [];
        };
        const found = await readRegistered(clientOf(source), id, {
          etag,
          signal,
          before: keptBefore,
          onUnreadable: (reason) => onRemark({ source: source.name, text: unused(reason) }),
        });
        if (found?.status !== "found") return found ?? { status: "absent" };
        checkIds(source, id, found.value);
        const versions = withKnownTimes(distinct(found.value), await keptBefore(), now());
        return { ...found, bytes: savedRegistration(versions) };
      },
    }),
    nuspec: (source, named) => ({
      ...documentOf(source, "nuspec", named),
      fetch: async (_validators, signal) =>
        contentOf(await clientOf(source).nuspec(named, { signal })),
    }),
    readme: (source, named) => ({
      ...documentOf(source, "readme", named),
      async fetch(_validators, signal) {
        const text = await clientOf(source).readme(named, { signal });
        return contentOf(text === undefined ? undefined : Buffer.from(text));
      },
    }),
  };
}

function unused(reason: string): string {
  return `Its list of versions and manifests are used instead of a registration. ${reason}`;
}

/** Reads what `versions` keeps. */
export function versionsIn(bytes: Uint8Array): readonly string[] {
  const { versions } = JSON.parse(Buffer.from(bytes).toString()) as {
    readonly versions: readonly string[];
  };
  return versions;
}

function documentOf(
  source: PackageSource,
  kind: "versions" | "registration" | "nuspec" | "readme",
  { id, version = "" }: { readonly id: string; readonly version?: string },
): Omit<DocumentAsk, "fetch"> {
  const isOfAll = version === "";
  const staleGroups = isOfAll ? { staleGroups: [documentGroup(id)] } : {};
  return { source, kind, name: id, part: version, ...staleGroups };
}

function fetchedDocument<Value>(
  found: Revised<Value> | undefined,
  bytesOf: (value: Value) => Uint8Array | undefined,
): FetchedDocument {
  if (found?.status !== "found") return found ?? { status: "absent" };
  const bytes = bytesOf(found.value);
  return bytes ? { status: "found", bytes, etag: found.etag } : { status: "absent" };
}

function contentOf(bytes: Uint8Array | undefined): FetchedDocument {
  return bytes ? { status: "found", bytes } : { status: "absent" };
}

/** A source must not describe another package than the requested one. */
function checkIds(
  { url }: PackageSource,
  id: string,
  versions: readonly RegisteredVersion[],
): void {
  const other = versions.find((version) => lowerId(version.id) !== id);
  if (!other) return;
  const reason = `the registration of ${id} describes ${other.id.slice(0, 128)}`;
  throw new NuGetClientError("malformed", { url, reason });
}

function distinct(versions: readonly RegisteredVersion[]): readonly RegisteredVersion[] {
  const byNumber = new Map(versions.map((version) => [lowerVersion(version.version), version]));
  return [...byNumber.values()];
}
