import { readFile } from "node:fs/promises";
import type { VerifyBundle } from "./ports.ts";

/** A configured root of trust that cannot be used. */
export class TrustedRootError extends Error {
  override readonly name = "TrustedRootError";
  readonly code = "trusted-root-invalid";
}

/**
 * Verifies the signatures of provenance statements with the file of a root of trust
 * (`trusted_root.json` of Sigstore), without network access. Without a file only the comparisons of
 * the protocol apply, and no library is loaded.
 *
 * @throws TrustedRootError
 */
export async function openBundleVerification(file: string | undefined): Promise<VerifyBundle> {
  if (file === undefined) return async () => ({ status: "unchecked" });
  const verify = await loadVerifier(file);
  return async (bundle) => {
    try {
      verify(bundle);
      return { status: "verified" };
    } catch (error) {
      return { status: "refused", reason: reasonOf(error) };
    }
  };
}

async function loadVerifier(file: string): Promise<(bundle: string) => void> {
  const [{ bundleFromJSON }, { TrustedRoot }, { toSignedEntity, toTrustMaterial, Verifier }] =
    await Promise.all([
      import("@sigstore/bundle"),
      import("@sigstore/protobuf-specs"),
      import("@sigstore/verify"),
    ]);
  try {
    const root = TrustedRoot.fromJSON(JSON.parse(await readFile(file, "utf8")));
    if (root.certificateAuthorities.length === 0) throw new Error("it names no authority");
    const verifier = new Verifier(toTrustMaterial(root));
    return (bundle) => void verifier.verify(toSignedEntity(bundleFromJSON(JSON.parse(bundle))));
  } catch (cause) {
    throw new TrustedRootError(
      `Feed__Npm__Provenance__TrustedRoot: ${file} is not a trusted root (${reasonOf(cause)}). ` +
        "The file must be trusted_root.json of Sigstore or of your instance.",
      { cause },
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
