import { readFile } from "node:fs/promises";
import type { VerifyBundle } from "@sealhouse/npm-protocol";

/** A configured root of trust that cannot be used; the host does not start. */
export class TrustedRootError extends Error {
  override readonly name = "TrustedRootError";
  readonly code = "trusted-root-invalid";
}

/**
 * Verifies the signatures of provenance statements against the file of a root of trust
 * (`trusted_root.json`, as Sigstore gives it out), without asking anybody. Without a file nothing
 * is verified but what the protocol itself compares, and no library is loaded.
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
      `Feed__Npm__Provenance__TrustedRoot: ${file} is no root of trust (${reasonOf(cause)}). It ` +
        "must be the file trusted_root.json that Sigstore, or an instance of your own, gives out.",
      { cause },
    );
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
