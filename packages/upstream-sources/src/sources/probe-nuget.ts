import { isCallError } from "@sealhouse/http-responses/outgoing";
import type { NuGetClient } from "@sealhouse/nuget-protocol/client";

/** Result of reading one package of a feed. */
export type ReadPackage = {
  /** Remarks on what clients will miss, for people. */
  readonly remarks: readonly string[];
  /** Why no package can come from the feed; undefined when one can, or when none is known. */
  readonly problem?: string;
};

type ProbedClient = Pick<
  NuGetClient,
  "resource" | "search" | "registration" | "versions" | "package"
>;

/** Reads one search result, its registration and the beginning of its file.
 * @throws the reason of `signal` when it aborts */
export async function readOnePackage(
  client: ProbedClient,
  signal: AbortSignal,
): Promise<ReadPackage> {
  const remarks: string[] = [];
  const attempt = async <Value>(
    work: () => Promise<Value>,
    describe: (reason: string) => string,
  ): Promise<Value | undefined> => {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!isCallError(error)) throw error;
      remarks.push(describe(error.message));
      return undefined;
    }
  };
  const has = async (name: "search" | "registration") =>
    (await client.resource(name, { signal })) !== undefined;
  const found = (await has("search"))
    ? await attempt(
        () => client.search({ take: 1 }, { signal }),
        (reason) => `The search cannot be read, so it shows nothing of this source. ${reason}`,
      )
    : undefined;
  const id = found?.packages[0]?.id;
  if (id === undefined) {
    return { remarks: [...remarks, "The search names no package: no package was read."] };
  }
  if (await has("registration")) {
    await attempt(
      () => client.registration(id, { signal }),
      (reason) =>
        `Registrations cannot be read. Lists of versions and manifests are used instead: ` +
        `all versions count as listed and new. ${reason}`,
    );
  }
  const problem = await readFile(client, id, signal);
  return { remarks, ...(problem !== undefined && { problem }) };
}

/** Returns the reason why the file of the newest version cannot be read. */
async function readFile(
  client: ProbedClient,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const version = (await client.versions(id, { signal }))?.at(-1);
    if (version === undefined)
      return `The search names ${id}, but the feed lists no version of it.`;
    await using download = await client.package({ id, version }, { signal });
    if (!download) return `The feed lists ${id} ${version}, but does not have its file.`;
    for await (const _ of download.body) break;
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (isCallError(error)) return error.message;
    throw error;
  }
}
