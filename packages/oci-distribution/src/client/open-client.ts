import { checkClientAddress, clientOptions } from "@sealhouse/http-responses/outgoing";
import type { RegistryCaller } from "./caller.ts";
import { createCaller } from "./caller.ts";
import type { OciClient, OciClientOptions, RepositoryClient } from "./client.ts";
import { OciClientError } from "./client-error.ts";
import { isTagImmutable } from "./immutable-tag.ts";
import { listReferrers, listRepositories, listTags } from "./listings.ts";
import { fetchBlob, fetchManifest, headBlob, headManifest } from "./pull.ts";
import { mountBlob, putManifest, remove, tryUpload, uploadBlob } from "./push.ts";
import { refusalOf } from "./read-answer.ts";

/**
 * A client of one registry. Nothing is asked for before the first call, and there is nothing to
 * close.
 * @throws {TypeError} for an address with credentials in it, or that is not http or https
 */
export function openOciClient(options: OciClientOptions): OciClient {
  const { registry: registryUrl } = options;
  checkClientAddress(registryUrl, ["registry", "registries"]);
  const registry = new URL("/", registryUrl);
  const caller = createCaller({
    registry,
    credentials: options.credentials,
    tokenRealms: options.tokenRealms,
    ...clientOptions(options),
  });
  return {
    registry,
    async ping({ signal } = {}) {
      const answer = await caller.call({ method: "GET", target: "/v2/", scopes: [], signal });
      if (answer.status !== 200) throw await noRegistry(answer);
      await answer.cancel();
      return caller.authenticator.authentication();
    },
    repositories: (read = {}) => listRepositories(caller, read),
    repository: (name) => openRepository(caller, name),
  };
}

async function noRegistry(
  answer: Awaited<ReturnType<RegistryCaller["call"]>>,
): Promise<OciClientError> {
  if (answer.status !== 404) return refusalOf(answer);
  await answer.cancel();
  const reason = "is not a registry: /v2/ answered 404";
  return new OciClientError("malformed", { url: answer.url, reason, status: 404 });
}

function openRepository(caller: RegistryCaller, name: string): RepositoryClient {
  const place = { caller, name };
  return {
    name,
    findManifest: (reference, read = {}) => headManifest(place, reference, read),
    manifest: (reference, read = {}) => fetchManifest(place, reference, read),
    findBlob: (digest, read = {}) => headBlob(place, digest, read),
    blob: (digest, read = {}) => fetchBlob(place, digest, read),
    tags: (read = {}) => listTags(place, read),
    isImmutable: (tag, read = {}) => isTagImmutable(place, tag, read),
    referrers: (digest, read = {}) => listReferrers(place, digest, read),
    mount: (digest, from, send = {}) => mountBlob(place, { digest, from }, send),
    tryUpload: (send = {}) => tryUpload(place, send),
    pushBlob: (blob, send = {}) => uploadBlob(place, blob, send),
    putManifest: (reference, manifest, send = {}) =>
      putManifest(place, { ...manifest, reference }, send),
    deleteManifest: (reference, send = {}) => remove(place, `manifests/${reference}`, send),
    deleteBlob: (digest, send = {}) => remove(place, `blobs/${digest}`, send),
  };
}
