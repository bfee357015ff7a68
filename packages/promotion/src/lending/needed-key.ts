import type { Release } from "../model/release.ts";

const NEEDED = "needs another key of a pipeline";

/** The reason of a release whose lent key is missing, refused or expired. */
export function keyNeeded({
  release,
  target,
  why,
}: {
  /** Id. */
  readonly release: string;
  readonly target: string;
  readonly why: string;
}): string {
  const command = `sealhouse release resume ${release} --lend ${target}=VARIABLE`;
  return `The target ${target} ${NEEDED}: ${why}. To continue: ${command}`;
}

/** Whether only a pipeline can continue the release. */
export function waitsForKey({ reason }: Pick<Release, "reason">): boolean {
  return reason?.includes(NEEDED) === true;
}
