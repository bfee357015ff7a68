import { challenge } from "./access.ts";
import type { Call } from "./call.ts";
import { OciError } from "./errors.ts";
import type { RepositoryRoute } from "./route.ts";

const NOT_FOUND = 404;

/**
 * Challenges a read without credentials for a repository that is unknown here or hidden.
 * containerd, oras, notation and helm send their credentials only after a challenge. With an
 * anonymous bearer token, the same read gets the 404. Call it after the sources were asked.
 */
export async function challengeUnknown(
  call: Call,
  { name }: Pick<RepositoryRoute, "name">,
  error: unknown,
): Promise<never> {
  const isAbsent = error instanceof OciError && error.status === NOT_FOUND;
  if (isAbsent && (await isUnknownToAnonymous(call, name))) {
    throw challenge(call, { action: "pull", repository: name });
  }
  throw error;
}

/**
 * Whether a read has no credentials, its repository is unknown or hidden, and there is a reason to
 * sign in: a registry that takes pushes without credentials hides nothing.
 */
export async function isUnknownToAnonymous(
  { c, registry, isKnown }: Call,
  name: RepositoryRoute["name"],
): Promise<boolean> {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  if (!isRead || c.req.header("authorization") !== undefined) return false;
  if (await isKnown(name)) return false;
  const push = { action: "push", repository: name } as const;
  const { status } = await registry.ports.authorize(c.req.raw, c.env, push);
  return status !== "granted";
}
