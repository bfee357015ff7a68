import { NpmError } from "../errors.ts";

/** Refuses a publish that would replace a package of another registry. */
export function nameMirrored(name: string, source: string): NpmError {
  return new NpmError(
    "forbidden",
    `${name} comes from the package source "${source}", so it cannot be published here. An ` +
      `administrator can change that: sealhouse source release npm ${name}`,
  );
}
