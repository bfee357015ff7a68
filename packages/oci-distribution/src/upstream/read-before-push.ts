import { errorCodeOf } from "@sealhouse/http-responses";
import type { Call } from "../call.ts";
import type { RepositoryName } from "../repository-name.ts";

/**
 * Runs a read of a repository. Clients look before they push. While the source of a name fails of
 * which nothing is known here, a caller who may push to it gets undefined, the answer for an absent
 * name: the outage of another registry does not stop pushes of new repositories. All others get the
 * error of the source, because the name may be an image there.
 */
export async function readBeforePush<T>(
  call: Call,
  name: RepositoryName,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (errorCodeOf(error) !== "upstream-unavailable") throw error;
    if (await mayCreate(call, name)) return undefined;
    throw error;
  }
}

async function mayCreate({ c, registry, hidden }: Call, name: RepositoryName): Promise<boolean> {
  const access = { action: "push", repository: await hidden.shown(name) } as const;
  const verdict = await registry.ports.authorize(c.req.raw, c.env, access);
  return verdict.status === "granted" && !(await registry.sources.claimOn(name));
}
