import { NuGetError } from "@sealhouse/nuget-protocol";
import type { PackageContent } from "@sealhouse/nuget-protocol";
import type { UnsealedError } from "@sealhouse/repo-signing";
import type { FeedSigning } from "@sealhouse/repo-signing/feed";

/** Wraps stored packages so that they are served signed, or refused while they cannot be signed. */
export function signedPackages(
  stored: PackageContent,
  signing: Pick<FeedSigning, "signed">,
): PackageContent {
  const content = signing.signed(stored);
  return {
    async open(storedPackage, signal) {
      try {
        return await content.open(storedPackage, signal);
      } catch (error) {
        if (!isUnsealed(error)) throw error;
        const { message, retryAfterSeconds } = error;
        const problems = [message];
        throw new NuGetError("signing-later", { problems, retryAfterSeconds, cause: error });
      }
    },
  };
}

function isUnsealed(error: unknown): error is UnsealedError {
  const code = "package-unsigned" satisfies UnsealedError["code"];
  return error instanceof Error && "code" in error && error.code === code;
}
