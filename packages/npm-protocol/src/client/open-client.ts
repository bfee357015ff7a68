import {
  checkClientAddress,
  clientOptions,
  createExchange,
} from "@sealhouse/http-responses/outgoing";
import { parseOldPackageName } from "../package-name.ts";
import { readTokens, readUserName } from "./accounts.ts";
import { addressesBelow } from "./addresses.ts";
import type { ChangeParts } from "./changes.ts";
import { deprecate, removeDistTag, setDistTag, unpublish } from "./changes.ts";
import { failure, malformed } from "./client-error.ts";
import type {
  AccountCalls,
  NpmClient,
  NpmClientOptions,
  PackageChanges,
  PackageReads,
  SearchReads,
  SecurityReads,
  StagedVersions,
} from "./client.ts";
import { secretsOf } from "./credentials.ts";
import { parsePackument, remoteVersion, textsIn } from "./packument-document.ts";
import { publishVersion } from "./publish.ts";
import { createReader } from "./reader.ts";
import { listAll, searchAll, searchPage } from "./search.ts";
import type { ChangeOutcome } from "./send.ts";
import { send } from "./send.ts";
import { findStaged, isStaged, rejectStaged, stageVersion } from "./stage.ts";
import { readKeys } from "./signatures.ts";
import { readAdvisories, readAttestations } from "./statements.ts";
import { openTarball } from "./tarball.ts";

const DOCUMENT_BYTES_MAX = 64 * 1024 * 1024;

/** As clients ask for it that know both forms. */
const ABBREVIATED =
  "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*; q=0.1";

/**
 * A client of the npm registry at this address. Nothing is asked for before the first call, and
 * there is nothing to close.
 * @throws {TypeError} for an address with credentials in it, or that is not http or https
 */
export function openNpmClient(options: NpmClientOptions): NpmClient {
  const parts = partsOf(options);
  return {
    ...packageReads(parts),
    ...registryReads(parts),
    ...packageChanges(parts),
    ...accountCalls(parts),
    ...stagedVersions(parts),
  };
}

function partsOf(options: NpmClientOptions): ChangeParts {
  const { registry, documentBytesMax = DOCUMENT_BYTES_MAX } = options;
  checkClientAddress(registry, ["registry", "registries"]);
  const client = clientOptions(options);
  const exchange = createExchange({
    ...client,
    secrets: secretsOf(options.credentials),
    origins: new Set([registry.origin, ...(options.alsoTrusted ?? [])]),
    isSecure: registry.protocol === "https:",
    failure,
  });
  const { documentTimeoutMs, wait, now } = client;
  const reader = createReader({ ...client, exchange, documentBytesMax });
  return { exchange, addresses: addressesBelow(registry), reader, documentTimeoutMs, wait, now };
}

function packageReads({ reader, addresses }: ChangeParts): PackageReads {
  return {
    async packument(name, { form = "full", etag, signal } = {}) {
      if (!isName(name)) return undefined;
      const url = addresses.package(name);
      const accept = form === "full" ? "application/json" : ABBREVIATED;
      const foundDocument = await reader.document(url, { accept, etag, signal });
      if (foundDocument?.status !== "found") return foundDocument;
      const { json, received } = foundDocument.value;
      const packument = parsePackument(json, name);
      if (!packument) throw malformed(url, `the answer is not a packument of ${name}`);
      return {
        status: "found",
        packument,
        received,
        ...(foundDocument.etag !== undefined && { etag: foundDocument.etag }),
      };
    },
    async version(name, versionOrTag, read = {}) {
      if (!isName(name)) return undefined;
      const url = addresses.version(name, versionOrTag);
      const manifest = await reader.object(url, read);
      if (!manifest) return undefined;
      const { version } = manifest;
      if (manifest["name"] === name && typeof version === "string") {
        return remoteVersion(version, manifest);
      }
      throw malformed(url, `the answer is not a version of ${name}`);
    },
    async tarball(dist, { maxBytes = Number.POSITIVE_INFINITY, ...read } = {}) {
      const { tarball, ...expected } = dist;
      const answer = tarball && (await reader.stream(tarball, read));
      return answer && openTarball(answer, expected, maxBytes);
    },
    async distTags(name, read = {}) {
      if (!isName(name)) return undefined;
      const document = await reader.object(addresses.distTags(name), read);
      return document && textsIn(document);
    },
  };
}

function stagedVersions(parts: ChangeParts): StagedVersions {
  return {
    stage: (version, options = {}) => stageVersion(parts, version, options),
    isStaged: (stageId, read = {}) => isStaged(parts, stageId, read),
    findStaged: (wanted, read = {}) => findStaged(parts, wanted, read),
    rejectStaged: (stageId, options = {}) => rejectStaged(parts, stageId, options),
  };
}

function registryReads(parts: ChangeParts): SearchReads & SecurityReads {
  return {
    search: (query, read = {}) => searchPage(parts, query, read),
    searchAll: (text, read = {}) => searchAll(parts, text, read),
    names: (read = {}) => listAll(parts, read),
    keys: (read = {}) => readKeys(parts, read),
    attestations: (remoteName, read = {}) => readAttestations(parts, remoteName, read),
    advisories: (inventory, read = {}) => readAdvisories(parts, inventory, read),
  };
}

function packageChanges(parts: ChangeParts): PackageChanges {
  const absent: ChangeOutcome = { status: "absent" };
  return {
    async publish(version, options = {}) {
      if (isName(version.name)) return publishVersion(parts, version, options);
      return {
        status: "refused",
        reason: `"${version.name}" is not a package name`,
        httpStatus: 400,
      };
    },
    setDistTag: async (distTag, options = {}) =>
      isName(distTag.name) ? setDistTag(parts, distTag, options) : absent,
    removeDistTag: async (oldTag, options = {}) =>
      isName(oldTag.name) ? removeDistTag(parts, oldTag, options) : absent,
    deprecate: async (deprecation, options = {}) =>
      isName(deprecation.name) ? deprecate(parts, deprecation, options) : absent,
    unpublish: async (removal, options = {}) =>
      isName(removal.name) ? unpublish(parts, removal, options) : absent,
  };
}

function accountCalls(parts: ChangeParts): AccountCalls {
  return {
    whoami: (read = {}) => readUserName(parts, read),
    tokens: (read = {}) => readTokens(parts, read),
    revokeToken(key, { signal } = {}) {
      const url = parts.addresses.endpoint(`npm/v1/tokens/token/${encodeURIComponent(key)}`);
      const timeoutMs = parts.documentTimeoutMs;
      return send(parts, { method: "DELETE", url, signal, timeoutMs });
    },
  };
}

function isName(text: string): boolean {
  return parseOldPackageName(text) !== undefined;
}
