import type { OciClient } from "@sealhouse/oci-distribution/client";
import { OciClientError, registrySource } from "@sealhouse/oci-distribution/client";
import { SourceError } from "../candidate.ts";
import type { OciSource, SourceRepository } from "./oci-source.ts";

export type RegistryChoice = {
  /** `team/app`, or a part of the registry's names: `team`. Empty: everything. */
  readonly namespace: string;
  /** Repositories by their full names; then nobody asks for a catalog. */
  readonly named: readonly string[] | undefined;
};

/** The repositories of a registry: those that are named, or those of its catalog. */
export function registryRepositories(
  client: OciClient,
  { namespace, named }: RegistryChoice,
): OciSource {
  return {
    async *repositories(signal) {
      for await (const name of named ?? namesIn(client, namespace, signal)) {
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
    async *wanted(signal) {
      for await (const tag of images.tags({ signal })) yield { reference: tag, tags: [tag] };
    },
  };
}

/** A registry that shows its catalog to nobody may still have one repository of that name. */
async function* namesIn(
  client: OciClient,
  namespace: string,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const isWanted = (name: string) =>
    namespace === "" || name === namespace || name.startsWith(`${namespace}/`);
  let isListed = false;
  try {
    for await (const name of client.repositories({ signal })) {
      isListed = true;
      if (isWanted(name)) yield name;
    }
  } catch (error) {
    if (!(error instanceof OciClientError) || isListed || !isRefusal(error)) throw error;
    if (namespace === "") {
      throw new SourceError(`${error.message}. Name repositories with --repositories.`);
    }
    yield namespace;
  }
}

function isRefusal({ code }: OciClientError): boolean {
  return code === "unauthorized" || code === "status" || code === "malformed";
}
