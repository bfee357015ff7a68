import { NpmError } from "../errors.ts";

/** `reason` continues "The tarball …": "has no package.json". */
export function refused(reason: string, cause?: unknown): NpmError {
  return new NpmError("tarball-refused", `The tarball ${reason}; pack it again and publish that.`, {
    cause,
  });
}
