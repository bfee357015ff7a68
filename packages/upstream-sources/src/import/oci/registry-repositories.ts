import type { CallError } from "@sealhouse/http-responses/outgoing";
import { isCallError } from "@sealhouse/http-responses/outgoing";
import type { OciClient } from "@sealhouse/oci-distribution/client";
import { registrySource } from "@sealhouse/oci-distribution/client";
import { SourceError } from "../../source-error.ts";
import type { OciSource, SourceRepository } from "./oci-source.ts";

/** The repositories of a registry to import. */
export type RegistryChoice = {
  /** Prefix of the names, such as `team` or `team/app`. Empty: everything. */
  readonly namespace: string;
  /** Full names of the repositories. Undefined: those of the catalog. */
  readonly names: readonly string[] | undefined;
};

/** Returns the named repositories of a registry, or those of its catalog, as a source. */
export function openOciRegistry(
  client: OciClient,
  { namespace, names }: RegistryChoice,
): OciSource {
  return {
    async *repositories(signal) {
      for await (const name of names ?? namesIn(client, namespace, signal)) {
        yield repositoryOf(client, name);
      }
    },
  };
}

function repositoryOf(client: OciClient, name: string): SourceRepository {
  const images = registrySource(client, name);
  return {
    name,
    images,
    async *listImages(signal) {
      for await (const tag of images.tags({ signal })) yield { reference: tag, tags: [tag] };
    },
  };
}

/** Yields the namespace itself when the registry refuses its catalog: it may be a repository. */
async function* namesIn(
  client: OciClient,
  namespace: string,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const isBelow = (name: string) =>
    namespace === "" || name === namespace || name.startsWith(`${namespace}/`);
  let isListed = false;
  try {
    for await (const name of client.repositories({ signal })) {
      isListed = true;
      if (isBelow(name)) yield name;
    }
  } catch (error) {
    if (!isCallError(error) || isListed || !isRefusal(error)) throw error;
    if (namespace === "") {
      throw new SourceError(`${error.message}. List the repositories with --repositories.`);
    }
    yield namespace;
  }
}

function isRefusal({ code }: CallError): boolean {
  return code === "unauthorized" || code === "status" || code === "malformed";
}
