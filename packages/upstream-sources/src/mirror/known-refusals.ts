import type { Protocol } from "@sealhouse/request-types";
import { NOTHING_REFUSED } from "../policy/judge.ts";
import type { Judgement } from "../policy/judge.ts";
import type { Mirror } from "./mirror.ts";

/** Returns the versions of a name that are held back or denied; NuGet's in lower case. */
export type RefusedVersions = (name: string) => Promise<Judgement["refused"]>;

/** Answers for known names only: a question for a page must not make a name a mirrored one. */
export function knownRefusals(
  mirror: Pick<Mirror, "locate">,
  protocol: Protocol,
  refused: RefusedVersions,
): RefusedVersions {
  return async (name) => {
    const located = await mirror.locate({ protocol, name });
    const isUnknown = located.status === "sources" && !located.isClaimed;
    return isUnknown ? NOTHING_REFUSED.refused : refused(name);
  };
}
