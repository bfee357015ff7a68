import { RefusedRequestError } from "./problem.ts";

/**
 * Compares the tag that a change requires with that of the row. `*` is any row that exists,
 * for commands that a person types.
 *
 * @throws RefusedRequestError
 */
export async function checkPrecondition(
  wanted: string | undefined,
  current: () => Promise<string>,
): Promise<void> {
  if (wanted === undefined) {
    throw new RefusedRequestError(
      "no-precondition",
      "Send If-Match with the ETag of what you read, or * for whatever it is now.",
    );
  }
  const tags = wanted.split(",").map((tag) => tag.trim());
  if (tags.includes("*")) return;
  const tag = await current();
  if (tags.includes(tag)) return;
  throw new RefusedRequestError("stale", "It was changed since you read it. Read it again.", {
    headers: { etag: tag },
  });
}
