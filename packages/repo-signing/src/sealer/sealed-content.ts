import { createHash } from "node:crypto";
import { SigningError } from "../errors.ts";
import type { OnDemandSealing } from "./on-demand.ts";
import type { PackageBytes } from "../ports.ts";
import type { PackageIdentity, Seal } from "./sealer.ts";
import { decodePlan } from "../splice/plan-codec.ts";
import { spliced } from "../splice/splice-plan.ts";

/** The bytes of a download with their entity tag. */
export type ServedFile = PackageBytes & {
  /** Strong, without quotes; changes whenever the served bytes change. */
  readonly etag: string;
};

/**
 * The signed file, read lazily from the received one.
 * @throws SigningError
 */
export function openSealed(
  source: PackageBytes & { readonly sha256: string },
  seal: Pick<Seal, "plan" | "size">,
): ServedFile {
  const plan = decodePlan(seal.plan);
  if (plan.sourceSize !== source.size) {
    throw new SigningError("splice-plan", "The seal belongs to a file of another size.");
  }
  const signed = spliced(source, plan);
  if (signed.size !== seal.size) {
    throw new SigningError("splice-plan", "The seal's plan and its size do not agree.");
  }
  const planDigest = createHash("sha256").update(seal.plan).digest("hex").slice(0, 16);
  return { ...signed, etag: `${source.sha256}-${planDigest}` };
}

/** Fields that a download needs for the signed file. */
export type SealablePackage = PackageIdentity & {
  readonly blob: { readonly sha256: string };
  readonly seal?: Seal;
};

/** A wrapper of whatever opens stored packages: the same packages, signed. */
export function signedContent<Found extends SealablePackage>(
  stored: { open(storedPackage: Found): Promise<ServedFile> },
  sealOnDemand: OnDemandSealing,
): { open(sealablePackage: Found, signal?: AbortSignal): Promise<ServedFile> } {
  return {
    async open(requestedPackage, signal) {
      const plain = await stored.open(requestedPackage);
      const source = {
        size: plain.size,
        sha256: requestedPackage.blob.sha256,
        read: (...args: Parameters<ServedFile["read"]>) => plain.read(...args),
      };
      const { id, version } = requestedPackage;
      const seal = requestedPackage.seal ?? (await sealOnDemand(source, { id, version }, signal));
      return seal ? openSealed(source, seal) : plain;
    },
  };
}
