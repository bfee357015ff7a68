import type { Protocol } from "@sealhouse/request-types";

/**
 * The answer to a request, as far as it shows that a name exists. `shown`: the caller has the
 * rights. `refused`: 401 or 403. `concealed`: 404 instead of a refusal, for every name. `unknown`:
 * as for a name that nothing has, which the caller may ask for.
 */
export type Disclosure = "shown" | "refused" | "concealed" | "unknown";

/** A request, with all that decides what its answer discloses. */
export type DisclosingRequest = {
  readonly protocol: Protocol;
  readonly name?: string | undefined;
  readonly isRead: boolean;
  /** Whether anonymous callers may read. */
  readonly anonymousPull: boolean;
  /** Why the caller lacks the rights; undefined when nothing forbids the request. */
  readonly refusal: "anonymous" | "denied" | undefined;
  /** Whether the caller must not see the name. */
  readonly isHidden: boolean;
};

/** Decides whether a name is shown, refused or unknown, for all protocols, commands and pages. */
export function disclosureOf(request: DisclosingRequest): Disclosure {
  const { protocol, name, isRead, anonymousPull, refusal, isHidden } = request;
  // After the refusals, so that a hidden name is refused for the same reasons as an unknown one.
  if (refusal === undefined) return isHidden ? "unknown" : "shown";
  // Where reading is public, all may ask for an unknown name, so a refusal would disclose this one.
  if (isRead && anonymousPull) return "unknown";
  // A 403 would tell clients of npm that there is a package.
  const isConcealed = protocol === "npm" && isRead && name !== undefined;
  return refusal === "denied" && isConcealed ? "concealed" : "refused";
}
